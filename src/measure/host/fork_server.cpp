#include "measure/host/fork_server.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/hash.h"
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
  return message_in(received.body);
}

json as_object(const std::vector<std::string>& environment) {
  json object = json::object();
  for (const auto& line : environment) {
    const auto equals = line.find('=');
    object[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return object;
}

// Servers that nobody has now, one of each settings.
class Stock {
 public:
  // Nobody's any more; null: there is none.
  ForkServer* take(const ForkServerSettings& settings) {
    const std::lock_guard lock(mutex_);
    std::erase_if(servers_, [](const auto& server) { return !server->is_as_new(); });
    const auto found = find(settings);
    if (found == servers_.end()) return nullptr;
    ForkServer* server = found->release();
    servers_.erase(found);
    return server;
  }

  void put(std::unique_ptr<ForkServer> server) {
    const std::lock_guard lock(mutex_);
    std::erase_if(servers_, [](const auto& one) { return !one->is_as_new(); });
    const auto found = find(server->settings());
    if (found == servers_.end()) servers_.push_back(std::move(server));
  }

 private:
  using Servers = std::vector<std::unique_ptr<ForkServer>>;
  Servers::iterator find(const ForkServerSettings& settings) {
    return std::ranges::find_if(servers_,
                                [&](const auto& server) { return server->settings() == settings; });
  }

  std::mutex mutex_;
  Servers servers_;
};

Stock& stock() {
  static Stock stock;
  return stock;
}

void give_back(ForkServer* server) {
  std::unique_ptr<ForkServer> owned(server);
  if (owned->settings().kept && owned->is_as_new()) stock().put(std::move(owned));
}

}  // namespace

Result<ForkServer> ForkServer::start(ForkServerSettings settings) {
  CUPEL_TRY(auto sockets, make_socket_pair());
  sandbox::SpawnRequest spawn;
  spawn.argv = {settings.executable,
                "-m",
                "cupel.fork_server",
                "--forks",
                settings.forks,
                "--fd",
                std::to_string(sandbox::k_jail_socket_fd)};
  spawn.environment = settings.environment;
  spawn.directory = "/";  // nothing is imported from where the user happens to be
  spawn.outlives_thread = true;
  spawn.inherit.emplace_back(sockets.second.get(), sandbox::k_jail_socket_fd);
  CUPEL_TRY(auto process, sandbox::Process::spawn(spawn));
  return ForkServer(std::move(settings), std::move(process), std::move(sockets.first));
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
  has_compilers_ = true;
}

bool ForkServer::is_as_new() {
  return usable_.value_or(false) && !has_compilers_ && !process_.poll_exit();
}

bool ForkServer::says(const char* word, int threads_max, double seconds_max) const {
  const json message = receive_object(socket_.get(), seconds_max);
  const int threads = message.is_object() ? message.value("threads", 0) : 0;
  return threads >= 1 && threads <= threads_max && answers(message, word);
}

Result<pid_t> ForkServer::request_fork(const sandbox::Entrance& entrance,
                                       const std::vector<int>& sockets, int status,
                                       const std::vector<std::string>& extra) {
  std::vector<int> fds = sockets;
  fds.insert(fds.end(), {entrance.output_fd, status});
  fds.insert(fds.end(), entrance.cgroups.begin(), entrance.cgroups.end());
  fds.insert(fds.end(), entrance.namespaces.begin(), entrance.namespaces.end());
  const bool jailed = !entrance.namespaces.empty();
  const json request{{"op", "fork"},
                     {"sockets", sockets.size()},
                     {"cgroups", entrance.cgroups.size()},
                     {"environment", as_object(extra)},
                     {"directory", entrance.directory},
                     {"filter", jailed ? to_hex(sandbox::system_call_filter()) : ""},
                     {"data_bytes_max", entrance.limits.data_bytes_max},
                     {"file_bytes_max", entrance.limits.file_bytes_max},
                     {"descriptors_max", entrance.limits.descriptors_max}};
  const bool sent = send_frame(socket_.get(), request, fds, k_fork_seconds_max).has_value();
  const json reply = sent ? receive_object(socket_.get(), k_fork_seconds_max) : json();
  if (!answers(reply, "forked")) {
    give_up();
    return infra_error("the fork server did not answer", "python -m cupel.fork_server");
  }
  return reply.value("pid", -1);
}

Status ForkServer::fork_into(sandbox::Jail& jail, const std::vector<int>& sockets,
                             const std::vector<std::string>& extra) {
  int pipe_fds[2];
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) return errno_error("cannot make a pipe");
  UniqueFd status(pipe_fds[0]);
  const UniqueFd child_status(pipe_fds[1]);
  CUPEL_TRY(const pid_t keeper, request_fork(jail.entrance(), sockets, child_status.get(), extra));
  jail.adopt(keeper, std::move(status));
  return {};
}

Result<LentForkServer> lend_fork_server(ForkServerSettings settings) {
  if (ForkServer* server = stock().take(settings)) return LentForkServer(server, give_back);
  CUPEL_TRY(ForkServer server, ForkServer::start(std::move(settings)));
  return LentForkServer(new ForkServer(std::move(server)), give_back);
}

}  // namespace cupel::measure
