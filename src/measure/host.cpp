#include "measure/host.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "measure/channel.h"

namespace cupel::measure {
namespace {

using nlohmann::json;
using Kind = HostFault::Kind;

// A process that has closed its socket is given this long to end, so that its status is known.
constexpr int k_exit_grace_ms = 2000;
constexpr const char* k_probe_in_jail = "/opt/cupel/libcupel_probe.so";
constexpr const char* k_build_cache_in_jail = "/opt/cupel/build";

// glibc's heap grows and refaults as small blocks happen to lie: the same program takes 0.7 ms or
// 12 ms a call. jemalloc, told to keep what is freed, settles after two calls; it is also the
// harder baseline to beat, because temporaries cost eager mode less.
std::vector<std::string> allocator_environment(const HostSettings& settings) {
  std::string preload = settings.unjailed ? settings.probe.string() : k_probe_in_jail;
  if (settings.probe.empty()) preload.clear();
  if (settings.allocator.empty()) {
    return {"LD_PRELOAD=" + preload, "MALLOC_TRIM_THRESHOLD_=4000000000"};
  }
  return {"LD_PRELOAD=" + preload + " " + settings.allocator.string(),
          "MALLOC_CONF=dirty_decay_ms:-1,muzzy_decay_ms:-1"};
}

std::vector<std::string> host_environment(const HostSettings& settings, const std::string& work) {
  const auto python_bin = std::filesystem::path(settings.python.executable).parent_path().string();
  const std::string threads = std::to_string(settings.threads);
  const std::string probe = settings.unjailed ? settings.probe.string() : k_probe_in_jail;
  std::vector<std::string> environment = allocator_environment(settings);
  const std::vector<std::string> rest{
      "PATH=" + python_bin + ":/usr/local/bin:/usr/bin:/bin",
      "HOME=" + work,
      "USER=cupel",
      "TMPDIR=" + (settings.unjailed ? work : "/tmp"),
      "LC_ALL=C.UTF-8",
      "PYTHONPATH=" + (settings.home / "python").string(),
      "PYTHONDONTWRITEBYTECODE=1",
      "PYTHONUNBUFFERED=1",
      "PYTHONSAFEPATH=1",
      "PYTHONWARNINGS=ignore",
      "CUPEL_PROBE=" + (settings.probe.empty() ? "" : probe),
      "CUPEL_WORK=" + work,
      "CUPEL_DEVICE=" + settings.device.name,
      "OMP_NUM_THREADS=" + threads,
      std::string("OMP_PROC_BIND=") + (settings.device.binds_main_thread ? "false" : "true"),
      "MKL_NUM_THREADS=" + threads,
      "TORCHINDUCTOR_CACHE_DIR=" + work + "/inductor",
      "TORCHINDUCTOR_COMPILE_THREADS=1",
      "TORCH_EXTENSIONS_DIR=" + work + "/extensions",
      "MAX_JOBS=" + threads};
  environment.insert(environment.end(), rest.begin(), rest.end());
  const auto& more = settings.device.environment;
  environment.insert(environment.end(), more.begin(), more.end());
  return environment;
}

std::vector<sandbox::Bind> host_binds(const HostSettings& settings) {
  std::vector<sandbox::Bind> binds;
  for (const auto& prefix : settings.python.prefixes) binds.push_back({prefix, {}, false});
  binds.push_back({settings.home / "python", {}, false});
  if (!settings.probe.empty()) binds.push_back({settings.probe, k_probe_in_jail, false});
  if (!settings.build_cache.empty()) {
    binds.push_back({settings.build_cache, k_build_cache_in_jail, false});
  }
  if (!settings.import_root.empty()) binds.push_back({settings.import_root, {}, false});
  const auto& nodes = settings.device.binds;
  binds.insert(binds.end(), nodes.begin(), nodes.end());
  return binds;
}

sandbox::JailRequest jail_request(const HostSettings& settings, const std::string& work) {
  sandbox::JailRequest request;
  request.argv = {settings.python.executable, "-m", "cupel.host", "--fd",
                  std::to_string(sandbox::k_jail_socket_fd)};
  request.environment = host_environment(settings, work);
  request.binds = host_binds(settings);
  request.work_directory = work;
  request.memory_bytes_max = settings.memory_bytes_max;
  request.scratch_bytes_max = settings.scratch_bytes_max;
  request.processes_max = settings.processes_max;
  request.unjailed = settings.unjailed;
  return request;
}

// docs/protocol.md: kinds of failure that a host reports about its program.
Kind kind_of_failure(const std::string& kind) {
  if (kind == "build") return Kind::build_error;
  if (kind == "out_of_memory") return Kind::out_of_memory;
  if (kind == "syntax" || kind == "no_class" || kind == "bad_class") return Kind::invalid_reply;
  return Kind::runtime_error;
}

HostFault fault_of_failure(const json& reply, const std::string& phase) {
  HostFault fault;
  fault.kind = kind_of_failure(reply.value("kind", ""));
  fault.phase = reply.value("phase", phase);
  fault.what = reply.value("what", "");
  fault.detail = reply.value("trace", "");
  return fault;
}

HostFault protocol_breach(const std::string& phase, const std::string& what) {
  HostFault fault;
  fault.kind = Kind::invalid_reply;
  fault.phase = phase;
  fault.what = "the host's reply breaks the protocol: " + what;
  return fault;
}

json load_message(const LoadRequest& request, const HostSettings& settings) {
  json inputs = json::array();
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    const TensorSpec& spec = request.inputs[i];
    inputs.push_back({{"dtype", spec.dtype},
                      {"shape", spec.shape},
                      {"strides", spec.strides},
                      {"offset", request.input_offsets[i]}});
  }
  json instances = json::array();
  for (const auto& instance : request.instances) {
    json weights = json::array();
    for (const auto& tensor : instance.tensors) {
      weights.push_back({{"name", tensor.name},
                         {"dtype", tensor.dtype},
                         {"shape", tensor.shape},
                         {"offset", tensor.offset},
                         {"bytes", tensor.bytes}});
    }
    instances.push_back({{"seed", instance.seed}, {"weights", weights}});
  }
  return {{"op", "load"},
          {"source", request.source},
          {"class", request.class_name},
          {"init", request.init_pickle},
          {"input_tree", request.input_tree},
          {"inputs", inputs},
          {"output_room", request.output_room_bytes},
          {"instances", instances},
          {"import_root", settings.import_root},
          {"threads", settings.threads},
          {"arenas", request.arena_bytes},
          {"core", request.core},
          {"policy", to_string(settings.policy)},
          {"device", settings.device.name}};
}

ResultForm result_form(const json& message) {
  ResultForm form;
  form.tree = message.at("tree");
  for (const auto& leaf : message.at("outputs")) {
    form.leaves.push_back({leaf.at("dtype"), leaf.at("shape"), leaf.at("strides")});
  }
  return form;
}

// Runs `read`, which takes fields from a reply; a missing or mistyped one is the host's breach.
template <class Read>
void read_fields(HostReply& reply, const std::string& phase, Read read) {
  if (reply.failed()) return;
  try {
    read();
  } catch (const json::exception& problem) {
    reply.fault = protocol_breach(phase, problem.what());
  }
}

}  // namespace

Result<std::unique_ptr<Host>> Host::start(const HostSettings& settings) {
  std::optional<TempDir> work;
  if (settings.unjailed) {
    CUPEL_TRY(TempDir made, TempDir::create(settings.work_parent, "host"));
    work = std::move(made);
  }
  CUPEL_TRY(auto sockets, make_socket_pair());
  auto request = jail_request(settings, work ? work->path().string() : "/work");
  request.socket_fd = sockets.second.get();
  CUPEL_TRY(auto jail, sandbox::Jail::start(request));
  return std::unique_ptr<Host>(
      new Host(settings, std::move(jail), std::move(sockets.first), std::move(work)));
}

Host::Host(const HostSettings& settings, sandbox::Jail jail, UniqueFd socket,
           std::optional<TempDir> work)
    : settings_(settings),
      work_(std::move(work)),
      socket_(std::move(socket)),
      jail_(std::move(jail)) {}

Status Host::wait_ready(double seconds_max) {
  if (ready_) return {};
  jail_.thaw();
  WaitWatch watch{jail_.output_fd(), [this](std::string_view text) { keep_output(text); }, {}};
  const auto deadline =
      SystemClock().now_ns() + static_cast<std::int64_t>(seconds_max * k_ns_per_s);
  const Received received = receive_frame(socket_.get(), deadline, watch);
  const auto message = json::parse(received.body, nullptr, false);
  ready_ =
      received.waited == Waited::frame && message.is_object() && message.value("re", "") == "ready";
  if (ready_) return {};
  return infra_error("a host did not start: " + output_tail_, settings_.python.executable,
                     "run `cupel doctor`");
}

// Waits for the answer to a request; false when `reply.fault` tells why there is none.
bool Host::receive_reply(std::int64_t deadline_ns, const std::string& phase, double seconds_max,
                         json& message, HostReply& reply) {
  const WaitWatch watch{jail_.output_fd(), [this](std::string_view text) { keep_output(text); },
                        [this] { return !(limit_broken_ = jail_.watch_limits()).empty(); }};
  for (;;) {
    Received received = receive_frame(socket_.get(), deadline_ns, watch);
    reply.arrived_ns = received.arrived_ns;
    if (received.waited != Waited::frame) {
      reply.fault = fault_of_wait(static_cast<int>(received.waited), phase, seconds_max);
      return false;
    }
    message = json::parse(received.body, nullptr, false);
    if (!message.is_object()) {
      reply.fault = protocol_breach(phase, "not a JSON object");
      return false;
    }
    if (!message.contains("ask")) return true;
    if (!serve(message)) {
      reply.fault = protocol_breach(phase, "a question it may not ask");
      return false;
    }
  }
}

json Host::exchange(const json& request, const std::vector<int>& fds, const std::string& phase,
                    double seconds_max, HostReply& reply) {
  json message;
  const SystemClock clock;
  reply.unasked = has_unread(socket_.get());
  reply.sent_ns = clock.now_ns();
  if (!send_frame(socket_.get(), request, fds, seconds_max)) {
    reply.fault = fault_of_death(phase);
    return message;
  }
  const auto deadline = reply.sent_ns + static_cast<std::int64_t>(seconds_max * k_ns_per_s);
  if (!receive_reply(deadline, phase, seconds_max, message, reply)) return json();
  if (message.value("re", json()) != "failed") return message;
  try {
    reply.fault = fault_of_failure(message, phase);
    reply.wrong_type = message.value("kind", "") == "type";
  } catch (const json::exception&) {
    reply.fault = protocol_breach(phase, "a malformed failure");
  }
  return message;
}

HostReply Host::load(const LoadRequest& request, double seconds_max) {
  HostReply reply;
  const auto message =
      exchange(load_message(request, settings_), request.arena_fds, "import", seconds_max, reply);
  read_fields(reply, "import", [&] {
    reply.import_ms = message.at("import_ms");
    reply.construct_ms = message.at("construct_ms");
    reply.weights = message.at("weights");
  });
  return reply;
}

HostReply Host::call(const CallRequest& request, double seconds_max) {
  HostReply reply;
  json message{{"op", "call"},
               {"instance", request.instance},
               {"at", request.inputs.at(0)},
               {"out", request.outputs.at(0)}};
  if (!request.values.at(0).empty()) message["values"] = request.values[0];
  message = exchange(message, {}, "call", seconds_max, reply);
  read_fields(reply, "call", [&] {
    reply.claim_ns = message.at("claim_ns");
    reply.copy_ns = message.at("copy_ns");
    reply.results.push_back(result_form(message));
  });
  return reply;
}

HostReply Host::batch(const CallRequest& request, double seconds_max) {
  HostReply reply;
  json message{{"op", "batch"},
               {"instance", request.instance},
               {"at", request.inputs},
               {"out", request.outputs}};
  if (!request.values.at(0).empty()) message["values"] = request.values;
  message = exchange(message, {}, "batch", seconds_max, reply);
  read_fields(reply, "batch", [&] {
    reply.claim_ns = message.at("claim_ns");
    reply.copy_ns = message.at("copy_ns");
    for (const auto& result : message.at("outputs")) reply.results.push_back(result_form(result));
    if (reply.results.size() != request.inputs.size()) {
      reply.fault = protocol_breach("batch", "another number of results than calls");
    }
  });
  return reply;
}

bool Host::serve(const json& message) {
  try {
    if (message.at("ask") != "build" || !settings_.build) return false;
    const BuildAsk ask{message.at("kind"), message.at("name"), message.at("source"),
                       message.at("flags").get<std::vector<std::string>>()};
    BuildAnswer answer = settings_.build(ask);
    json reply;
    if (answer.built) {
      const std::filesystem::path built(answer.path);
      const auto inside = settings_.unjailed
                              ? built
                              : std::filesystem::path(k_build_cache_in_jail) / built.filename();
      reply = {{"re", "built"}, {"path", inside.string()}};
    } else {
      reply = {{"re", "build_failed"}, {"log", answer.log}};
    }
    return send_frame(socket_.get(), reply, {}, 10).has_value();
  } catch (const json::exception&) {
    return false;
  }
}

HostFault Host::fault_of_wait(int waited, const std::string& phase, double seconds_max) {
  if (static_cast<Waited>(waited) == Waited::malformed) {
    return protocol_breach(phase, "a frame that is too long");
  }
  if (static_cast<Waited>(waited) == Waited::stopped) {
    HostFault fault;
    fault.kind = limit_broken_.find("memory") != std::string::npos ? Kind::out_of_memory
                                                                   : Kind::runtime_error;
    fault.phase = phase;
    fault.what = "the program used " + limit_broken_;
    return fault;
  }
  if (static_cast<Waited>(waited) == Waited::timeout) {
    HostFault fault;
    fault.kind = Kind::timeout;
    fault.phase = phase;
    fault.what = "no answer within " + std::to_string(static_cast<int>(seconds_max)) + " s";
    return fault;
  }
  return fault_of_death(phase);
}

HostFault Host::fault_of_death(const std::string& phase) {
  HostFault fault;
  fault.phase = phase;
  fault.kind = Kind::runtime_error;
  std::optional<sandbox::ExitStatus> status;
  for (int waited_ms = 0; !(status = jail_.poll_exit()) && waited_ms < k_exit_grace_ms;
       ++waited_ms) {
    ::usleep(1000);
  }
  if (jail_.out_of_memory()) {
    fault.kind = Kind::out_of_memory;
    fault.what = "the process was killed for using more than " +
                 std::to_string(settings_.memory_bytes_max >> 20) + " MiB of memory";
  } else if (status) {
    fault.what = "the process ended: " + describe(*status);
  } else {
    fault.what = "the program closed the host's socket";
  }
  fault.detail = output_tail_;
  return fault;
}

void Host::keep_output(std::string_view text) {
  output_tail_ += text;
  if (output_tail_.size() > k_output_tail_bytes) {
    output_tail_.erase(0, output_tail_.size() - k_output_tail_bytes);
  }
}

}  // namespace cupel::measure
