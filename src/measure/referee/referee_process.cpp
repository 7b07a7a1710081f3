#include "measure/referee/referee_process.h"

#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "measure/device/machine_memory.h"
#include "measure/host/channel.h"
#include "measure/host/fork_server.h"
#include "measure/host/host.h"
#include "measure/jail/own_files.h"

namespace cupel::measure {
namespace {

using nlohmann::json;

// What the task writes, into /tmp, say: caches of what it compiles.
constexpr std::uint64_t k_scratch_bytes_max = 4ULL << 30;
// torch's threads, a compiler's processes.
constexpr int k_processes_max = 1024;
constexpr double k_send_seconds_max = 30;

std::string home_of(const RefereeSettings& settings) {
  return settings.unjailed ? sandbox::environment_or("HOME", "/") : sandbox::k_work_in_jail;
}

std::vector<std::string> referee_environment(const RefereeSettings& settings) {
  const std::string threads = std::to_string(settings.threads);
  std::vector<std::string> environment = settings.device.environment;
  const std::vector<std::string> rest{
      "LD_PRELOAD=" + settings.allocator.string(), k_allocator_keeps_memory, "PYTHONSAFEPATH=1",
      "PATH=" + settings.python.bin() + ":/usr/local/bin:/usr/bin:/bin",
      // A jail has no list of users; torch names a cache after its user.
      "USER=user", "LC_ALL=C.UTF-8", "PYTHONPATH=" + (settings.home / "python").string(),
      "PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1", "PYTHONWARNINGS=ignore",
      "OMP_NUM_THREADS=" + threads,
      // NumPy, if it is there, would start threads when torch is imported: a referee that has any
      // cannot fork the second one.
      "OPENBLAS_NUM_THREADS=1",
      // Spinning workers would take the cores from the hosts that are being timed.
      "OMP_WAIT_POLICY=passive"};
  environment.insert(environment.end(), rest.begin(), rest.end());
  return environment;
}

// The task's directory comes first: what the installation has below it is not hidden.
std::vector<sandbox::Bind> referee_binds(const RefereeSettings& settings) {
  std::vector<sandbox::Bind> binds;
  if (!settings.task_directory.empty()) binds = own_directory(settings.task_directory);
  if (!settings.weights.empty()) binds.push_back({settings.weights, {}, false});
  for (const auto& part : settings.python.parts) binds.push_back({part, {}, false});
  binds.push_back({settings.home / "python/cupel", {}, false});
  if (!settings.allocator.empty()) binds.push_back({settings.allocator, {}, false});
  const auto& nodes = settings.device.binds;
  binds.insert(binds.end(), nodes.begin(), nodes.end());
  return binds;
}

sandbox::JailRequest referee_jail(const RefereeSettings& settings) {
  sandbox::JailRequest request;
  request.environment = referee_environment(settings);
  request.environment.push_back("HOME=" + home_of(settings));
  request.binds = referee_binds(settings);
  // The vault is shared memory; a task is held to its limit by what is its own.
  request.memory_bytes_max = static_cast<std::uint64_t>(machine_memory_bytes());
  request.data_bytes_max = settings.memory_bytes_max;
  request.scratch_bytes_max = k_scratch_bytes_max;
  request.processes_max = k_processes_max;
  request.unjailed = settings.unjailed;
  request.work_directory = std::filesystem::current_path();
  return request;
}

Result<sandbox::Jail> forked_into(const sandbox::JailRequest& request, ForkServer& server,
                                  const std::string& home, const std::vector<int>& sockets) {
  CUPEL_TRY(auto jail, sandbox::Jail::reserve(request));
  CUPEL_TRY_STATUS(server.fork_into(jail, sockets, {"HOME=" + home}));
  return jail;
}

Result<sandbox::Jail> started_in(sandbox::JailRequest request, const std::string& executable,
                                 const std::vector<int>& sockets) {
  request.argv = {executable, "-m", "cupel.referee", "--fd",
                  std::to_string(sandbox::k_jail_socket_fd)};
  request.socket_fd = sockets.front();
  if (sockets.size() > 1) {
    request.argv.insert(request.argv.end(),
                        {"--second-fd", std::to_string(sandbox::k_jail_second_socket_fd)});
    request.second_socket_fd = sockets.back();
  }
  return sandbox::Jail::start(request);
}

std::string hint_for(const std::string& kind) {
  if (kind == "too_large") return "use a smaller task, or a machine with more memory";
  if (kind == "missing_package") {
    return "install it for the Python that Cupel uses; where the module is your own, --import-root "
           "names the directory that holds it";
  }
  return "";
}

// What the referee says about a task begins with its file, and a line of it if it knows one.
tl::unexpected<Error> task_error(std::string_view said, const std::string& path, std::string hint) {
  constexpr std::string_view digits = "0123456789";
  if (path.empty() || !said.starts_with(path)) {
    return input_error(std::string(said), path, std::move(hint));
  }
  std::size_t end = path.size();
  if (said.substr(end, 1) == ":") {
    const std::size_t after = std::min(said.find_first_not_of(digits, end + 1), said.size());
    if (after > end + 1) end = after;
  }
  const std::size_t begin = std::min(said.find_first_not_of(": ", end), said.size());
  return input_error(std::string(said.substr(begin)), std::string(said.substr(0, end)),
                     std::move(hint));
}

}  // namespace

Result<std::unique_ptr<RefereeProcess>> RefereeProcess::start(const RefereeSettings& settings,
                                                              bool with_second) {
  CUPEL_TRY(auto server, lend_fork_server({"referee", settings.python.executable,
                                           referee_environment(settings), !settings.unjailed}));
  if (server->wait_ready(k_import_seconds_max)) {
    auto forked = make(settings, with_second, server.get());
    if (forked && (*forked)->await_ready((*forked)->doors_.front())) return forked;
    server->give_up();  // some kernels let nobody enter a jail from outside
  }
  return make(settings, with_second, nullptr);
}

Result<std::unique_ptr<RefereeProcess>> RefereeProcess::make(const RefereeSettings& settings,
                                                             bool with_second, ForkServer* server) {
  std::vector<Door> doors;
  std::vector<UniqueFd> ends;
  std::vector<int> sockets;
  for (int i = 0; i < (with_second ? 2 : 1); ++i) {
    CUPEL_TRY(auto pair, make_socket_pair());
    doors.push_back({std::move(pair.first)});
    sockets.push_back(pair.second.get());
    ends.push_back(std::move(pair.second));
  }
  const auto request = referee_jail(settings);
  CUPEL_TRY(auto jail, server ? forked_into(request, *server, home_of(settings), sockets)
                              : started_in(request, settings.python.executable, sockets));
  return std::unique_ptr<RefereeProcess>(
      new RefereeProcess(settings, std::move(jail), std::move(doors)));
}

RefereeProcess::RefereeProcess(const RefereeSettings& settings, sandbox::Jail jail,
                               std::vector<Door> doors)
    : settings_(settings), doors_(std::move(doors)), jail_(std::move(jail)) {}

tl::unexpected<Error> RefereeProcess::died(const std::string& what) {
  const std::string said = output_tail_.empty() ? "" : "; it last said: " + output_tail_;
  return input_error("the referee, which runs the task's own code, " + what + said, task_path_);
}

Result<json> RefereeProcess::receive(Door& door) {
  const WaitWatch watch{
      jail_.output_fd(),
      [this](std::string_view text) { add_to_end(output_tail_, text, k_output_tail_bytes); },
      {}};
  const Deadline deadline(pauses_, settings_.seconds_max);
  const Received received = receive_frame(door.socket.get(), deadline, watch);
  if (received.waited == Waited::timeout) {
    return died("gave no answer within " + std::to_string(static_cast<int>(settings_.seconds_max)) +
                " s");
  }
  if (received.waited == Waited::stopped) return infra_error("stopped on request", task_path_);
  if (received.waited != Waited::frame) {
    const auto status = sandbox::await_exit(jail_);
    const std::string how = status ? sandbox::describe(*status) : "closed its socket";
    return died(how.starts_with("killed") ? "was " + how : how);
  }
  auto message = message_in(received.body);
  if (!message.is_object()) return bug_error("the referee's reply is not a JSON object");
  return message;
}

Status RefereeProcess::await_ready(Door& door) {
  if (door.ready) return {};
  CUPEL_TRY(const json hello, receive(door));
  if (!answers(hello, "ready")) return bug_error("the referee did not say ready");
  door.ready = true;
  return {};
}

Status RefereeProcess::send(std::size_t process, const json& message,
                            const std::vector<int>& descriptors) {
  Door& door = doors_.at(process);
  CUPEL_TRY_STATUS(await_ready(door));
  if (!send_frame(door.socket.get(), message, descriptors, k_send_seconds_max)) {
    return died("stopped listening");
  }
  return {};
}

Result<json> RefereeProcess::reply(std::size_t process) {
  CUPEL_TRY(json reply, receive(doors_.at(process)));
  if (!answers(reply, "failed")) return reply;
  const std::string kind = reply.value("kind", "");
  return task_error(reply.value("what", "the referee failed"), task_path_, hint_for(kind));
}

void RefereeProcess::pause() {
  pauses_.begin();
  jail_.signal(SIGSTOP);
}

void RefereeProcess::resume() {
  jail_.signal(SIGCONT);
  pauses_.end();
}

Result<json> RefereeProcess::ask(const json& message, const std::vector<int>& descriptors) {
  CUPEL_TRY_STATUS(send(0, message, descriptors));
  return reply(0);
}

Result<std::vector<json>> RefereeProcess::ask_each(const std::vector<json>& messages,
                                                   const std::vector<int>& descriptors) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    CUPEL_TRY_STATUS(send(i, messages[i], descriptors));
  }
  std::vector<Result<json>> outcomes;
  for (std::size_t i = 0; i < messages.size(); ++i) outcomes.push_back(reply(i));
  std::vector<json> replies;
  for (auto& outcome : outcomes) {
    CUPEL_TRY(json body, std::move(outcome));
    replies.push_back(std::move(body));
  }
  return replies;
}

}  // namespace cupel::measure
