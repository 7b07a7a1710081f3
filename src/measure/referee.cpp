#include "measure/referee.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "measure/channel.h"
#include "model/codec.h"

namespace cupel::measure {
namespace {

using nlohmann::json;

constexpr int k_socket_fd = 3;
constexpr double k_send_seconds_max = 30;

std::vector<std::string> referee_environment(const RefereeSettings& settings) {
  const std::string threads = std::to_string(settings.threads);
  std::vector<std::string> environment = settings.device.environment;
  const std::vector<std::string> rest{
      "LD_PRELOAD=" + settings.allocator.string(),
      "MALLOC_CONF=dirty_decay_ms:-1,muzzy_decay_ms:-1", "PYTHONSAFEPATH=1",
      "PATH=" + sandbox::environment_or("PATH", "/usr/bin:/bin"),
      "HOME=" + sandbox::environment_or("HOME", "/"), "LC_ALL=C.UTF-8",
      "PYTHONPATH=" + (settings.home / "python").string(), "PYTHONDONTWRITEBYTECODE=1",
      "PYTHONUNBUFFERED=1", "PYTHONWARNINGS=ignore", "OMP_NUM_THREADS=" + threads,
      // Spinning workers would take the cores from the hosts that are being timed.
      "OMP_WAIT_POLICY=passive"};
  environment.insert(environment.end(), rest.begin(), rest.end());
  return environment;
}

const char* mix_name(InputMix mix) {
  switch (mix) {
    case InputMix::timed:
      return "timed";
    case InputMix::nominal:
      return "nominal";
    case InputMix::all:
      return "all";
  }
  return "timed";
}

std::string hint_for(const std::string& kind) {
  if (kind == "too_large") return "use a smaller task, or a machine with more memory";
  if (kind == "missing_package") return "install the package for the Python that Cupel uses";
  if (kind == "unsupported") return "";
  return "run `cupel lint` on the task for the whole report";
}

// A reply's field, or a bug error: the referee is ours.
template <class T>
Result<T> field(const json& reply, const char* name) {
  try {
    return reply.at(name).get<T>();
  } catch (const json::exception& problem) {
    return bug_error(std::string("the referee's reply is malformed: ") + problem.what());
  }
}

}  // namespace

Result<std::unique_ptr<Referee>> Referee::start(const RefereeSettings& settings) {
  CUPEL_TRY(auto sockets, make_socket_pair());
  int pipe_fds[2];
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) return errno_error("cannot make a pipe");
  UniqueFd output(pipe_fds[0]);
  UniqueFd child_output(pipe_fds[1]);
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
  sandbox::SpawnRequest spawn;
  spawn.argv = {settings.python.executable, "-m", "cupel.referee", "--fd",
                std::to_string(k_socket_fd)};
  spawn.environment = referee_environment(settings);
  spawn.inherit = {{sockets.second.get(), k_socket_fd}};
  spawn.output_fd = child_output.get();
  spawn.limits.data_bytes_max = settings.memory_bytes_max;
  CUPEL_TRY(auto process, sandbox::Process::spawn(spawn));
  return std::unique_ptr<Referee>(
      new Referee(settings, std::move(process), std::move(sockets.first), std::move(output)));
}

Referee::Referee(const RefereeSettings& settings, sandbox::Process process, UniqueFd socket,
                 UniqueFd output)
    : settings_(settings),
      socket_(std::move(socket)),
      output_(std::move(output)),
      process_(std::move(process)) {}

tl::unexpected<Error> Referee::died(const std::string& what) {
  const std::string said = output_tail_.empty() ? "" : "; it last said: " + output_tail_;
  return input_error("the referee, which runs the task's own code, " + what + said, task_path_);
}

Result<json> Referee::receive() {
  const WaitWatch watch{output_.get(),
                        [this](std::string_view text) {
                          output_tail_ += text;
                          if (output_tail_.size() > k_output_tail_bytes) {
                            output_tail_.erase(0, output_tail_.size() - k_output_tail_bytes);
                          }
                        },
                        {}};
  const auto deadline =
      SystemClock().now_ns() + static_cast<std::int64_t>(settings_.seconds_max * k_ns_per_s);
  const Received received = receive_frame(socket_.get(), deadline, watch);
  if (received.waited == Waited::timeout) {
    return died("gave no answer within " + std::to_string(static_cast<int>(settings_.seconds_max)) +
                " s");
  }
  if (received.waited == Waited::stopped) return infra_error("stopped on request", task_path_);
  if (received.waited != Waited::frame) {
    ::usleep(100'000);  // let the kernel finish the process, so that its status is known
    const auto status = process_.poll_exit();
    return died(status ? sandbox::describe(*status) : "closed its socket");
  }
  auto message = json::parse(received.body, nullptr, false);
  if (!message.is_object()) return bug_error("the referee's reply is not a JSON object");
  return message;
}

Result<json> Referee::request(const json& message, const std::vector<int>& fds) {
  if (!ready_) {
    CUPEL_TRY(json hello, receive());
    if (hello.value("re", "") != "ready") return bug_error("the referee did not say ready");
    ready_ = true;
  }
  if (!send_frame(socket_.get(), message, fds, k_send_seconds_max)) {
    return died("stopped listening");
  }
  CUPEL_TRY(json reply, receive());
  if (reply.value("re", "") != "failed") return reply;
  const std::string kind = reply.value("kind", "");
  std::string what = reply.value("what", "the referee failed");
  return input_error(std::move(what), task_path_, hint_for(kind));
}

Result<TaskFacts> Referee::open(const Task& task, Policy policy, std::uint64_t input_seed,
                                const std::vector<std::string>& value_classes) {
  task_path_ = task.path.empty() ? task.module : task.path;
  // On the CPU the referee's own limit: the kernel will hold it to that.
  const auto task_bytes_max = settings_.device.name == "cpu"
                                  ? settings_.memory_bytes_max
                                  : static_cast<std::uint64_t>(settings_.device.memory_bytes);
  const json description{{"kind", "file"},
                         {"path", task.path},
                         {"source", task.source},
                         {"import_root", task.import_root},
                         {"module", task.module},
                         {"input_spec", task.input_spec},
                         {"init_spec", task.init_spec}};
  CUPEL_TRY(json reply, request({{"op", "open"},
                                 {"task", description},
                                 {"policy", to_string(policy)},
                                 {"device", settings_.device.name},
                                 {"threads", settings_.threads},
                                 {"memory_bytes", task_bytes_max},
                                 {"input_seed", input_seed},
                                 {"value_classes", value_classes}}));
  return decode_task_facts(reply.value("facts", json()).dump());
}

Result<AdmissionEvidence> Referee::admit(int samples) {
  CUPEL_TRY(json reply, request({{"op", "admit"}, {"samples", samples}}));
  return decode_admission_evidence(reply.value("evidence", json()).dump());
}

Status Referee::share_vault(const Arena& vault) {
  CUPEL_TRY(json reply,
            request({{"op", "vault"}, {"bytes", vault.bytes()}, {"device", settings_.device.name}},
                    {vault.fd()}));
  return {};
}

Result<InstanceState> Referee::weights(int instance, std::uint64_t seed, std::int64_t offset) {
  CUPEL_TRY(
      json reply,
      request({{"op", "weights"}, {"instance", instance}, {"seed", seed}, {"offset", offset}}));
  InstanceState state;
  state.seed = seed;
  CUPEL_TRY(const auto tensors, field<std::vector<json>>(reply, "tensors"));
  for (const auto& tensor : tensors) {
    WeightTensor weight;
    CUPEL_TRY(weight.name, field<std::string>(tensor, "name"));
    CUPEL_TRY(weight.dtype, field<std::string>(tensor, "dtype"));
    CUPEL_TRY(weight.shape, field<std::vector<std::int64_t>>(tensor, "shape"));
    CUPEL_TRY(weight.offset, field<std::int64_t>(tensor, "offset"));
    CUPEL_TRY(weight.bytes, field<std::int64_t>(tensor, "bytes"));
    state.tensors.push_back(std::move(weight));
  }
  return state;
}

void Referee::pause() const {
  process_.signal(SIGSTOP);
}

void Referee::resume() const {
  process_.signal(SIGCONT);
}

Result<std::vector<InputSet>> Referee::prepare(std::int64_t first, int count, std::int64_t offset,
                                               std::int64_t stride, int instance, InputMix mix) {
  CUPEL_TRY(json reply, request({{"op", "prepare"},
                                 {"first", first},
                                 {"count", count},
                                 {"offset", offset},
                                 {"stride", stride},
                                 {"instance", instance},
                                 {"mix", mix_name(mix)}}));
  CUPEL_TRY(const auto described, field<std::vector<json>>(reply, "sets"));
  std::vector<InputSet> sets;
  for (const auto& entry : described) {
    InputSet set;
    CUPEL_TRY(set.input, field<std::int64_t>(entry, "input"));
    CUPEL_TRY(set.value_class, field<std::string>(entry, "class"));
    CUPEL_TRY(set.values, field<std::string>(entry, "values"));
    sets.push_back(std::move(set));
  }
  if (static_cast<int>(sets.size()) != count) {
    return bug_error("the referee prepared another number of inputs than asked for");
  }
  return sets;
}

Result<std::vector<std::vector<OutputError>>> Referee::compare(
    const std::vector<CompareItem>& items) {
  json asked = json::array();
  for (const auto& item : items) {
    json outputs = json::array();
    for (const auto offset : item.offsets) outputs.push_back({{"offset", offset}});
    asked.push_back({{"input", item.input}, {"instance", item.instance}, {"outputs", outputs}});
  }
  CUPEL_TRY(json reply, request({{"op", "compare"}, {"items", asked}}));
  CUPEL_TRY(const auto compared, field<std::vector<json>>(reply, "items"));
  std::vector<std::vector<OutputError>> errors;
  for (const auto& item : compared) {
    CUPEL_TRY(auto leaves, field<std::vector<OutputError>>(item, "outputs"));
    errors.push_back(std::move(leaves));
  }
  if (errors.size() != items.size()) {
    return bug_error("the referee compared another number of calls than asked for");
  }
  return errors;
}

Status Referee::release(std::int64_t first, int count) {
  CUPEL_TRY(json reply, request({{"op", "release"}, {"first", first}, {"count", count}}));
  return {};
}

}  // namespace cupel::measure
