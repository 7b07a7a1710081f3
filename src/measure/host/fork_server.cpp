#include "measure/host/fork_server.h"

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "measure/host/channel.h"
#include "sandbox/system_calls.h"

namespace cupel::measure {
namespace {

using nlohmann::json;

// Forking takes milliseconds; more means that the server is gone or stopped.
constexpr double k_fork_seconds_max = 20;
// torch.compile's modules start a thread that waits and holds no lock (seen with torch 2.11).
constexpr int k_threads_with_compilers = 2;

json receive_object(int socket, double seconds_max) {
  const auto deadline =
      SystemClock().now_ns() + static_cast<std::int64_t>(seconds_max * k_ns_per_s);
  const Received received = receive_frame(socket, deadline, {});
  if (received.waited != Waited::frame) return {};
  const auto message = json::parse(received.body, nullptr, false);
  return message.is_object() ? message : json();
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view k_digits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += {k_digits[value >> 4], k_digits[value & 15]};
  }
  return text;
}

json as_object(const std::vector<std::string>& environment) {
  json object = json::object();
  for (const auto& line : environment) {
    const auto equals = line.find('=');
    object[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return object;
}

}  // namespace

Result<ForkServer> ForkServer::start(const std::string& executable,
                                     const std::vector<std::string>& environment) {
  CUPEL_TRY(auto sockets, make_socket_pair());
  sandbox::SpawnRequest spawn;
  spawn.argv = {executable, "-m", "cupel.fork_server", "--fd",
                std::to_string(sandbox::k_jail_socket_fd)};
  spawn.environment = environment;
  spawn.inherit.emplace_back(sockets.second.get(), sandbox::k_jail_socket_fd);
  CUPEL_TRY(auto process, sandbox::Process::spawn(spawn));
  return ForkServer(std::move(process), std::move(sockets.first));
}

bool ForkServer::wait_ready(double seconds_max) {
  // With more threads a fork would copy locks that nobody holds any more.
  if (!usable_) usable_ = says("ready", 1, seconds_max);
  if (importing_) usable_ = says("imported", k_threads_with_compilers, seconds_max);
  importing_ = false;
  return *usable_;
}

void ForkServer::import_compilers(double seconds_max) {
  if (!wait_ready(seconds_max)) return;
  const json request = json::object({{"op", "import"}});
  importing_ = send_frame(socket_.get(), request, {}, k_fork_seconds_max).has_value();
  usable_ = importing_;
}

bool ForkServer::says(const char* word, int threads_max, double seconds_max) const {
  const json message = receive_object(socket_.get(), seconds_max);
  const int threads = message.is_object() ? message.value("threads", 0) : 0;
  return threads >= 1 && threads <= threads_max && message.value("re", "") == word;
}

Result<pid_t> ForkServer::request_fork(const sandbox::Entrance& entrance, int socket, int status,
                                       const std::vector<std::string>& extra) {
  std::vector<int> fds{socket, entrance.output_fd, status};
  fds.insert(fds.end(), entrance.cgroups.begin(), entrance.cgroups.end());
  fds.insert(fds.end(), entrance.namespaces.begin(), entrance.namespaces.end());
  const bool jailed = !entrance.namespaces.empty();
  const json request{{"op", "fork"},
                     {"cgroups", entrance.cgroups.size()},
                     {"environment", as_object(extra)},
                     {"directory", entrance.directory},
                     {"filter", jailed ? hex(sandbox::system_call_filter()) : ""},
                     {"data_bytes_max", entrance.limits.data_bytes_max},
                     {"file_bytes_max", entrance.limits.file_bytes_max},
                     {"descriptors_max", entrance.limits.descriptors_max}};
  CUPEL_TRY_STATUS(send_frame(socket_.get(), request, fds, k_fork_seconds_max));
  const json reply = receive_object(socket_.get(), k_fork_seconds_max);
  if (!reply.is_object() || reply.value("re", "") != "forked") {
    usable_ = false;
    return infra_error("the fork server did not answer", "python -m cupel.fork_server");
  }
  return reply.value("pid", -1);
}

Status ForkServer::fork_into(sandbox::Jail& jail, int socket,
                             const std::vector<std::string>& extra) {
  int pipe_fds[2];
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) return errno_error("cannot make a pipe");
  UniqueFd status(pipe_fds[0]);
  const UniqueFd child_status(pipe_fds[1]);
  CUPEL_TRY(const pid_t keeper, request_fork(jail.entrance(), socket, child_status.get(), extra));
  jail.adopt(keeper, std::move(status));
  return {};
}

}  // namespace cupel::measure
