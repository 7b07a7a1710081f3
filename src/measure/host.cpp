#include "measure/host.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "measure/channel.h"
#include "measure/host_jail.h"

namespace cupel::measure {
namespace {

using nlohmann::json;
using Kind = HostFault::Kind;

// A process that has closed its socket is given this long to end, so that its status is known.
constexpr int k_exit_grace_ms = 2000;
// A host's own sentences are shorter.
constexpr std::size_t k_what_bytes_max = 1024;
// docs/protocol.md: kinds of failure that a host reports about its program.
Kind kind_of_failure(const std::string& kind) {
  if (kind == "build") return Kind::build_error;
  if (kind == "out_of_memory") return Kind::out_of_memory;
  if (kind == "syntax" || kind == "no_class" || kind == "bad_class") return Kind::invalid_reply;
  return Kind::runtime_error;
}

// What a host says about its program is the program's: for people's terminals and for prompts it is
// cut to size, and control characters (escape sequences) are taken out.
std::string plain(std::string text, std::size_t bytes_max) {
  if (text.size() > bytes_max) text.resize(bytes_max);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') c = ' ';
  }
  return text;
}

HostFault fault_of_failure(const json& reply, const std::string& phase) {
  HostFault fault;
  fault.kind = kind_of_failure(reply.value("kind", ""));
  fault.phase = plain(reply.value("phase", phase), k_what_bytes_max);
  fault.what = plain(reply.value("what", ""), k_what_bytes_max);
  fault.detail = plain(reply.value("trace", ""), k_output_tail_bytes);
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

Result<Host::Parts> Host::prepare(const HostSettings& settings) {
  Parts parts;
  if (settings.unjailed) {
    CUPEL_TRY(TempDir made, TempDir::create(settings.work_parent, "host"));
    parts.work = std::move(made);
  }
  parts.directory = parts.work ? parts.work->path().string() : k_work_in_jail;
  CUPEL_TRY(auto sockets, make_socket_pair());
  parts.socket = std::move(sockets.first);
  parts.child_socket = std::move(sockets.second);
  return parts;
}

Result<std::unique_ptr<Host>> Host::start(const HostSettings& settings) {
  CUPEL_TRY(Parts parts, prepare(settings));
  auto request = host_jail(settings, parts.directory);
  request.socket_fd = parts.child_socket.get();
  CUPEL_TRY(auto jail, sandbox::Jail::start(request));
  return std::unique_ptr<Host>(new Host(settings, std::move(jail), std::move(parts)));
}

Result<std::unique_ptr<Host>> Host::fork(const HostSettings& settings, ForkServer& server) {
  CUPEL_TRY(Parts parts, prepare(settings));
  CUPEL_TRY(auto jail, sandbox::Jail::reserve(host_jail(settings, parts.directory)));
  const int socket = parts.child_socket.get();
  CUPEL_TRY_STATUS(server.fork_into(jail, socket, environment_in_jail(settings, parts.directory)));
  return std::unique_ptr<Host>(new Host(settings, std::move(jail), std::move(parts)));
}

Host::Host(const HostSettings& settings, sandbox::Jail jail, Parts parts)
    : settings_(settings),
      work_(std::move(parts.work)),
      socket_(std::move(parts.socket)),
      jail_(std::move(jail)) {}

Status Host::wait_ready(double seconds_max) {
  if (ready_) return {};
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
bool Host::receive_reply(const Exchange& about, json& message, HostReply& reply) {
  const WaitWatch watch{jail_.output_fd(), [this](std::string_view text) { keep_output(text); },
                        [this] { return !(limit_broken_ = jail_.watch_limits()).empty(); },
                        about.on_frame};
  std::int64_t deadline_ns =
      reply.sent_ns + static_cast<std::int64_t>(about.seconds_max * k_ns_per_s);
  for (;;) {
    Received received = receive_frame(socket_.get(), deadline_ns, watch);
    reply.arrived_ns = received.arrived_ns;
    const std::int64_t paused_ns = paused_ns_.exchange(0);
    deadline_ns += paused_ns;
    if (received.waited == Waited::timeout && paused_ns > 0) continue;
    if (received.waited != Waited::frame) {
      reply.fault =
          fault_of_wait(static_cast<int>(received.waited), about.phase, about.seconds_max);
      return false;
    }
    message = json::parse(received.body, nullptr, false);
    if (!message.is_object()) {
      reply.fault = protocol_breach(about.phase, "not a JSON object");
      return false;
    }
    if (!message.contains("ask")) return true;
    if (!serve(message)) {
      reply.fault = protocol_breach(about.phase, "a question it may not ask");
      return false;
    }
    jail_.thaw();
  }
}

// The frame lies in the socket of a host that is still frozen; its time begins as it is thawed.
// A frame that may not fit there goes to a host that runs already, on its own time.
Status Host::send(std::string_view frame, const std::vector<int>& fds, double seconds_max,
                  HostReply& reply) {
  const SystemClock clock;
  paused_ns_ = 0;
  const bool waits = jail_.frozen() && frame.size() <= k_frame_bytes_unread_max;
  reply.sent_ns = clock.now_ns();
  if (!waits) jail_.thaw();
  CUPEL_TRY_STATUS(send_framed(socket_.get(), frame, fds, seconds_max));
  if (!waits) return {};
  reply.sent_ns = clock.now_ns();
  jail_.thaw();
  return {};
}

json Host::exchange(const json& request, const std::vector<int>& fds, const Exchange& about,
                    HostReply& reply) {
  json message;
  const std::string frame = framed(request);
  reply.unasked = has_unread(socket_.get());
  if (reply.unasked) {
    reply.fault = protocol_breach(about.phase, "it spoke before it was asked");
    return message;
  }
  if (!send(frame, fds, about.seconds_max, reply)) {
    reply.fault = fault_of_death(about.phase);
    return message;
  }
  if (!receive_reply(about, message, reply)) return json();
  if (message.value("re", json()) != "failed") return message;
  try {
    reply.fault = fault_of_failure(message, about.phase);
    reply.wrong_type = message.value("kind", "") == "type";
  } catch (const json::exception&) {
    reply.fault = protocol_breach(about.phase, "a malformed failure");
  }
  return message;
}

HostReply Host::load(const LoadRequest& request, double seconds_max) {
  HostReply reply;
  const auto message = exchange(load_message(request, settings_), request.arena_fds,
                                {"import", seconds_max, nullptr}, reply);
  read_fields(reply, "import", [&] {
    reply.import_ms = message.at("import_ms");
    reply.construct_ms = message.at("construct_ms");
    reply.weights = message.at("weights");
  });
  return reply;
}

HostReply Host::call(const CallRequest& request, double seconds_max, const OnFrame& on_frame) {
  HostReply reply;
  json message{{"op", "call"},
               {"instance", request.instance},
               {"core", request.core},
               {"at", request.inputs.at(0)},
               {"out", request.outputs.at(0)}};
  if (!request.values.at(0).empty()) message["values"] = request.values[0];
  message = exchange(message, {}, {"call", seconds_max, on_frame}, reply);
  read_fields(reply, "call", [&] {
    reply.claim_ns = message.at("claim_ns");
    reply.copy_ns = message.at("copy_ns");
    reply.results.push_back(result_form(message));
  });
  return reply;
}

HostReply Host::batch(const CallRequest& request, double seconds_max, const OnFrame& on_frame) {
  HostReply reply;
  json message{{"op", "batch"},
               {"instance", request.instance},
               {"core", request.core},
               {"at", request.inputs},
               {"out", request.outputs}};
  if (!request.values.at(0).empty()) message["values"] = request.values;
  message = exchange(message, {}, {"batch", seconds_max, on_frame}, reply);
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

void Host::pause() {
  paused_at_ns_ = SystemClock().now_ns();
  freeze();
}

void Host::resume() {
  thaw();
  paused_ns_ += SystemClock().now_ns() - paused_at_ns_;
}

void Host::keep_output(std::string_view text) {
  output_tail_ += text;
  if (output_tail_.size() > k_output_tail_bytes) {
    output_tail_.erase(0, output_tail_.size() - k_output_tail_bytes);
  }
}

}  // namespace cupel::measure
