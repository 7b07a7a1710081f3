#include "measure/host/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <thread>

#include "base/clock.h"

namespace cupel::measure {
namespace {

constexpr std::size_t k_length_bytes = 4;
constexpr std::size_t k_fds_max = 32;
constexpr int k_drain_reads_max = 64;
constexpr int k_nesting_max = 64;
constexpr std::size_t k_foreign_fds_max = 253;  // with one message, by the kernel's own limit

// Of brackets outside of texts.
bool nests_deeply(std::string_view body) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const char c = body[i];
    if (c == '"') in_text = !in_text;
    if (in_text && c == '\\') ++i;
    if (in_text) continue;
    if ((c == '[' || c == '{') && ++depth > k_nesting_max) return true;
    if (c == ']' || c == '}') --depth;
  }
  return false;
}

ssize_t send_with_fds(int socket, std::string_view bytes, const std::vector<int>& fds) {
  CUPEL_CHECK(fds.size() <= k_fds_max);
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(k_fds_max * sizeof(int))> space{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = space.data();
    message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(header), fds.data(), fds.size() * sizeof(int));
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL);
}

// Closes what descriptors came with a message; true if there were any.
bool drop_descriptors(msghdr& message) {
  std::vector<UniqueFd> dropped;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      dropped.emplace_back(fd);
    }
  }
  const bool any = !dropped.empty();
  if (any) close_aside(std::move(dropped));
  return any;
}

// As recv(2); `descriptors` tells that some came along, which are gone by then.
ssize_t receive(int socket, std::span<char> into, bool& descriptors) {
  iovec part{into.data(), into.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(k_foreign_fds_max * sizeof(int))> space;
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  const ssize_t got = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got >= 0) descriptors |= drop_descriptors(message);
  return got;
}

void drain_output(const WaitWatch& watch) {
  char chunk[16384];
  for (int reads = 0; reads < k_drain_reads_max; ++reads) {
    const ssize_t got = ::read(watch.output_fd, chunk, sizeof chunk);
    if (got <= 0) return;
    if (watch.on_output) watch.on_output({chunk, static_cast<std::size_t>(got)});
  }
}

// Reads frames' bytes as they come, without ever blocking past the deadline.
class FrameReader {
 public:
  FrameReader(int socket, const Deadline& deadline, const WaitWatch& watch)
      : socket_(socket), deadline_(deadline), watch_(watch) {}

  // A peer that never stops sending is not waited for, and still has its deadline.
  Received read() {
    Received received;
    if (deadline_.left_ns() < 0) return received;
    received.waited = fill(k_length_bytes);
    if (received.waited != Waited::frame) return received;
    std::uint32_t size = 0;
    std::memcpy(&size, buffer_.data(), k_length_bytes);
    if (size > k_frame_bytes_max) {
      received.waited = Waited::malformed;
      return received;
    }
    received.waited = fill(k_length_bytes + size);
    received.arrived_ns = clock_.now_ns();
    if (received.waited == Waited::frame && watch_.on_frame) {
      watch_.on_frame(std::string_view(buffer_).substr(k_length_bytes));
    }
    received.body = buffer_.substr(k_length_bytes);
    return received;
  }

 private:
  Waited fill(std::size_t wanted) {
    while (buffer_.size() < wanted) {
      char chunk[65536];
      const auto room = std::min(sizeof chunk, wanted - buffer_.size());
      const ssize_t got = receive(socket_, {chunk, room}, descriptors_);
      if (descriptors_) return Waited::malformed;
      if (got > 0) buffer_.append(chunk, static_cast<std::size_t>(got));
      if (got == 0) return Waited::closed;
      if (got < 0 && errno != EAGAIN && errno != EINTR) return Waited::closed;
      if (got < 0) {
        if (const Waited waited = wait(); waited != Waited::frame) return waited;
      }
    }
    return Waited::frame;
  }

  // Until something can be read; runs the watch meanwhile.
  Waited wait() {
    const std::int64_t left_ms = deadline_.left_ms();
    if (left_ms <= 0) return Waited::timeout;
    if (watch_.stop->raised()) return Waited::stopped;
    std::array<pollfd, 2> fds{{{socket_, POLLIN, 0}, {watch_.output_fd, POLLIN, 0}}};
    const bool output = watch_.output_fd >= 0 && !output_closed_;
    const int ready = ::poll(fds.data(), output ? 2 : 1,
                             static_cast<int>(std::min<std::int64_t>(left_ms, k_tick_ms)));
    if (output && (fds[1].revents & POLLIN)) drain_output(watch_);
    if (output && (fds[1].revents & POLLHUP)) output_closed_ = true;
    if (ready <= 0 || clock_.now_ns() > next_tick_ns_) {
      next_tick_ns_ = clock_.now_ns() + k_tick_ms * 1'000'000LL;
      if (watch_.on_tick && watch_.on_tick()) return Waited::stopped;
    }
    return Waited::frame;
  }

  SystemClock clock_;
  int socket_;
  const Deadline& deadline_;
  const WaitWatch& watch_;
  std::string buffer_;
  bool output_closed_ = false;
  bool descriptors_ = false;  // came along, which nobody may send
  std::int64_t next_tick_ns_ = clock_.now_ns() + k_tick_ms * 1'000'000LL;
};

}  // namespace

Result<std::pair<UniqueFd, UniqueFd>> make_socket_pair() {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    return errno_error("cannot make a socket pair");
  }
  return std::pair{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

void close_aside(std::vector<UniqueFd> descriptors) {
  std::thread([owned = std::move(descriptors)] {}).detach();
}

nlohmann::json message_in(std::string_view body) {
  if (nests_deeply(body)) return nullptr;
  auto message = nlohmann::json::parse(body, nullptr, false);
  return message.is_object() ? message : nlohmann::json();
}

bool answers(const nlohmann::json& message, std::string_view kind) {
  if (!message.is_object()) return false;
  const auto told = message.find("re");
  return told != message.end() && told->is_string() && told->get_ref<const std::string&>() == kind;
}

std::string framed(const nlohmann::json& message) {
  const std::string body = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto size = static_cast<std::uint32_t>(body.size());
  std::string frame(k_length_bytes, '\0');
  std::memcpy(frame.data(), &size, k_length_bytes);
  return frame + body;
}

Status send_frame(int socket, const nlohmann::json& message, const std::vector<int>& fds,
                  double seconds_max) {
  return send_framed(socket, framed(message), fds, seconds_max);
}

Status send_framed(int socket, std::string_view frame, const std::vector<int>& fds,
                   double seconds_max) {
  timeval limit{};
  limit.tv_sec = static_cast<time_t>(seconds_max) + 1;
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  std::string_view rest = frame;
  bool first = true;
  while (!rest.empty()) {
    const ssize_t put = send_with_fds(socket, rest, first ? fds : std::vector<int>{});
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno_error("cannot send to a process");
    rest.remove_prefix(static_cast<std::size_t>(put));
    first = false;
  }
  return {};
}

bool has_unread(int socket) {
  char byte = 0;
  return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

Received receive_frame(int socket, const Deadline& deadline, const WaitWatch& watch) {
  return FrameReader(socket, deadline, watch).read();
}

Received receive_frame(int socket, std::int64_t deadline_ns, const WaitWatch& watch) {
  static const Pauses none;
  return receive_frame(socket, Deadline(none, 0, {deadline_ns, 0}), watch);
}

}  // namespace cupel::measure
