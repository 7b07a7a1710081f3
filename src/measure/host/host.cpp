#include "measure/host/host.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "measure/host/channel.h"
#include "measure/host/host_json.h"
#include "measure/host/profile_reply.h"
#include "measure/jail/host_jail.h"

namespace cupel::measure {
namespace {

using nlohmann::json;
using Kind = HostFault::Kind;

// Of looking for what a host says while it has the baton.
constexpr std::int64_t k_look_ns = 2'000'000;
// From saying that a call of a row is ready to waiting for it are some instructions. Time on a
// core: on a busy machine a process may get none for long.
constexpr std::int64_t k_awaited_processor_ns_max = 2'000'000'000;
// Compiled libraries stay in the cache, on the user's disk; an honest one has some megabytes.
constexpr std::uintmax_t k_built_bytes_max = 512ULL << 20;

std::string why_unstoppable(const sandbox::Jail& jail) {
  const std::string why = plain_text(jail.unstoppable(), k_output_tail_bytes);
  return why.empty() ? "" : "the program could not be stopped after its reply: " + why;
}

bool stoppable(const sandbox::Jail& jail, const std::string& phase, HostReply& reply) {
  reply.fault.what = why_unstoppable(jail);
  if (reply.fault.what.empty()) return true;
  reply.fault.kind = Kind::runtime_error;
  reply.fault.phase = phase;
  return false;
}

// The message, or the failure that it tells of.
json answer_in(json message, const std::string& phase, HostReply& reply) {
  if (!answers(message, "failed")) return message;
  try {
    reply.fault = fault_of_failure(message, phase);
    reply.wrong_type = message.value("kind", "") == "type";
  } catch (const json::exception&) {
    reply.fault = protocol_breach(phase, "a malformed failure");
  }
  return message;
}

}  // namespace

Result<Host::Parts> Host::prepare(const HostSettings& settings) {
  Parts parts;
  if (settings.unjailed) {
    CUPEL_TRY(TempDir made, TempDir::create(settings.work_parent, "host"));
    parts.work = std::move(made);
  }
  parts.directory = parts.work ? parts.work->path().string() : sandbox::k_work_in_jail;
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
  CUPEL_TRY_STATUS(
      server.fork_into(jail, {socket}, environment_in_jail(settings, parts.directory)));
  return std::unique_ptr<Host>(new Host(settings, std::move(jail), std::move(parts)));
}

Host::Host(const HostSettings& settings, sandbox::Jail jail, Parts parts)
    : settings_(settings),
      work_(std::move(parts.work)),
      socket_(std::move(parts.socket)),
      jail_(std::move(jail)) {}

// The jail is gone before the socket, and what the program left in that cannot hold the judge up.
Host::~Host() {
  jail_.kill();
  std::vector<UniqueFd> left;
  left.push_back(std::move(socket_));
  close_aside(std::move(left));
}

Status Host::wait_ready(double seconds_max) {
  if (ready_) return {};
  WaitWatch watch{jail_.output_fd(), [this](std::string_view text) { keep_output(text); }, {}};
  const Deadline deadline(pauses_, seconds_max);
  const Received received = receive_frame(socket_.get(), deadline, watch);
  ready_ = received.waited == Waited::frame && answers(message_in(received.body), "ready");
  memory_ = HostMemory(jail_.program());
  if (ready_) return {};
  return infra_error("a host did not start: " + output_tail_, settings_.python.executable,
                     "run `cupel doctor`");
}

// Waits for the answer to a request; false when `reply.fault` tells why there is none.
WaitWatch Host::watch_of(const Exchange& about) {
  return {jail_.output_fd(), [this](std::string_view text) { keep_output(text); },
          [this] {
            const std::lock_guard guard(stopping_);
            return !(limit_broken_ = jail_.watch_limits()).empty();
          },
          about.on_frame};
}

// What a frame of the host's is; questions are answered.
Host::Said Host::listen(const std::string& body, const Exchange& about, const Deadline& deadline,
                        json& message, HostReply& reply) {
  message = message_in(body);
  if (!message.is_object()) {
    reply.fault = protocol_breach(about.phase, "not a JSON object");
    return Said::nonsense;
  }
  if (!message.contains("ask")) return Said::answer;
  thaw_unless_paused();  // who cannot run cannot take its answer
  if (!serve(message, static_cast<double>(deadline.left_ns()) / k_ns_per_s)) {
    reply.fault = protocol_breach(about.phase, "a question it may not ask");
    return Said::nonsense;
  }
  return Said::question;
}

bool Host::receive_reply(const Exchange& about, json& message, HostReply& reply) {
  const WaitWatch watch = watch_of(about);
  const Deadline deadline(pauses_, about.seconds_max, reply.sent);
  for (;;) {
    Received received = receive_frame(socket_.get(), deadline, watch);
    reply.arrived_ns = received.arrived_ns;
    if (received.waited != Waited::frame) {
      reply.fault = fault_of_wait(received.waited, about.phase, about.seconds_max);
      return false;
    }
    const Said said = listen(received.body, about, deadline, message, reply);
    if (said != Said::question) return said == Said::answer;
  }
}

// Until the host waits for its turn. False: it has said something instead, or `reply` says why.
bool Host::await_turn(const Baton& baton, const Exchange& about, HostReply& reply) {
  if (baton.awaited(k_tick_ms)) return true;
  const pid_t program = jail_.program();
  const std::int64_t used_ns = sandbox::processor_ns(program).value_or(0);
  const Deadline deadline(pauses_, about.seconds_max);
  while (!baton.awaited(k_tick_ms)) {
    if (has_unread(socket_.get())) return false;
    if (sandbox::processor_ns(program).value_or(0) - used_ns > k_awaited_processor_ns_max) {
      reply.fault = protocol_breach(about.phase, "it does not wait for its turn");
      return false;
    }
    if (deadline.is_over()) {
      reply.fault = fault_of_wait(Waited::timeout, about.phase, about.seconds_max);
      return false;
    }
  }
  return true;
}

// Until the host gives a call back. What it says on its socket meanwhile may be a question.
bool Host::await_return(const Baton& baton, const Exchange& about, HostReply& reply) {
  const SystemClock clock;
  const WaitWatch watch = watch_of(about);
  const Deadline deadline(pauses_, about.seconds_max, reply.sent);
  while (!baton.given_back(k_tick_ms)) {
    const Received received = receive_frame(socket_.get(), clock.now_ns() + k_look_ns, watch);
    Waited waited = received.waited;
    if (waited == Waited::timeout && watch.on_tick()) waited = Waited::stopped;
    if (waited == Waited::timeout && !deadline.is_over()) continue;
    if (waited != Waited::frame) {
      reply.fault = fault_of_wait(waited, about.phase, about.seconds_max);
      return false;
    }
    json message;
    const Said said = listen(received.body, about, deadline, message, reply);
    if (said == Said::question) continue;
    if (said == Said::answer) {
      reply.fault = protocol_breach(about.phase, "it answered before it gave the call back");
    }
    return false;
  }
  return true;
}

// The frame lies in the socket of a host that is still frozen; its time begins as it is thawed.
// A frame that may not fit there goes to a host that runs already, on its own time.
Status Host::send(std::string_view frame, const std::vector<int>& fds, double seconds_max,
                  HostReply& reply) {
  bool waits = frame.size() <= k_frame_bytes_unread_max;
  {
    const std::lock_guard guard(stopping_);
    waits = waits && jail_.frozen();
  }
  reply.sent = pauses_.now();
  if (!waits) thaw_unless_paused();
  CUPEL_TRY_STATUS(send_framed(socket_.get(), frame, fds, seconds_max));
  if (!waits) return {};
  reply.sent = pauses_.now();
  thaw_unless_paused();
  return {};
}

void Host::thaw_unless_paused() {
  const std::lock_guard guard(stopping_);
  if (!pauses_.lasts()) jail_.thaw();
}

json Host::exchange(const json& request, const std::vector<int>& fds, const Exchange& about,
                    HostReply& reply) {
  json message;
  const std::string frame = framed(request);
  if (!stoppable(jail_, about.phase, reply)) return message;
  if (has_unread(socket_.get())) {
    reply.fault = protocol_breach(about.phase, "it spoke before it was asked");
    return message;
  }
  if (!send(frame, fds, about.seconds_max, reply)) {
    reply.fault = fault_of_death(about.phase);
    return message;
  }
  if (!receive_reply(about, message, reply)) return json();
  return answer_in(std::move(message), about.phase, reply);
}

HostReply Host::load(const LoadRequest& request, double seconds_max) {
  HostReply reply;
  substitution_ = request.substitution;
  const auto message = exchange(load_message(request, settings_), request.arena_fds,
                                {"import", seconds_max, nullptr}, reply);
  read_fields(reply, "import", [&] {
    reply.import_ms = message.at("import_ms");
    reply.construct_ms = message.at("construct_ms");
    reply.weights = message.at("weights");
    if (reply.weights != "loaded" && reply.weights != "seeded") {
      reply.fault = protocol_breach("import", "weights that are neither loaded nor seeded");
    }
  });
  return reply;
}

HostReply Host::call(const CallRequest& request, double seconds_max, const OnFrame& on_frame) {
  HostReply reply;
  json asked = one_call("call", request);
  asked["out"] = request.outputs.at(0);
  if (request.gate_ns > 0) asked["gate_ns"] = request.gate_ns;
  read_done(exchange(asked, {}, {"call", seconds_max, on_frame}, reply), reply);
  return reply;
}

HostReply Host::row(const CallRequest& request, Baton& baton, const Turns& calls) {
  json asked = several_calls("row", request);
  if (!request.outputs.empty()) asked["out"] = request.outputs;
  return take_turns(std::move(asked), request, baton, calls);
}

HostReply Host::burst(const CallRequest& request, Baton& baton, const Turns& calls) {
  json asked = several_calls("burst", request);
  asked["out"] = request.outputs;
  return take_turns(std::move(asked), request, baton, calls);
}

HostReply Host::take_turns(json asked, const CallRequest& request, Baton& baton,
                           const Turns& calls) {
  HostReply reply;
  const Exchange about{"call", calls.seconds_max, nullptr};
  asked["turn"] = baton.next();
  if (request.sealed_bytes) asked["sealed"] = *request.sealed_bytes;
  exchange(asked, {}, about, reply);
  bool done = !reply.failed();
  for (std::size_t i = 0; i < calls.turns.size() && done; ++i) {
    done = take_turn(baton, calls.turns[i], calls, reply);
  }
  json message;
  if (reply.failed() || !receive_reply(about, message, reply)) return reply;
  message = answer_in(std::move(message), about.phase, reply);
  if (!done && !reply.failed()) {
    reply.fault = protocol_breach(about.phase, "it gave a call back without outputs");
  }
  read_fields(reply, "call", [&] {
    read_results(message, request, "call", reply);
    if (asked.at("op") != "row") return;
    for (const json& claim : message.at("claims_ns")) reply.claims_ns.push_back(told_ns(claim));
    if (reply.claims_ns.size() != request.inputs.size()) {
      reply.fault = protocol_breach("call", "another number of claims than calls");
    }
  });
  return reply;
}

// False: there is no use in going on; `reply` may say why, or the host's next frame does.
bool Host::take_turn(Baton& baton, const Turn& turn, const Turns& calls, HostReply& reply) {
  const Exchange about{"call", calls.seconds_max, nullptr};
  baton.begin();
  if (!await_turn(baton, about, reply)) return false;
  if (calls.still) freeze();
  if (!stoppable(jail_, about.phase, reply)) return false;
  Status done = turn.prepare();
  bool returned = false;
  if (done) {
    const SystemClock clock;
    reply.sent.at_ns = clock.now_ns();
    baton.hand_over(turn.keys);
    thaw();
    if (!await_return(baton, about, reply)) return false;
    returned = !baton.failed();
    if (returned) done = turn.stop();
    reply.arrived_ns = clock.now_ns();
    if (returned && done) done = turn.returned(reply.bracket_ns());
    baton.take();
  }
  if (!done) reply.fault = infra_fault(about.phase, done.error());
  return done && returned;
}

HostReply Host::batch(const CallRequest& request, double seconds_max, const OnFrame& on_frame) {
  HostReply reply;
  json asked = several_calls("batch", request);
  asked["out"] = request.outputs;
  const json message = exchange(asked, {}, {"batch", seconds_max, on_frame}, reply);
  read_fields(reply, "batch", [&] {
    reply.claim_ns = told_ns(message.at("claim_ns"));
    read_results(message, request, "batch", reply);
  });
  return reply;
}

HostReply Host::hold(double seconds_max) {
  HostReply reply;
  exchange({{"op", "hold"}}, {}, {"hold", seconds_max, nullptr}, reply);
  return reply;
}

HostReply Host::recall(int index, std::int64_t output, double seconds_max) {
  HostReply reply;
  const json message = exchange({{"op", "recall"}, {"index", index}, {"out", output}}, {},
                                {"recall", seconds_max, nullptr}, reply);
  read_fields(reply, "recall", [&] {
    reply.results.push_back(result_form(message));
    for (const auto& name : message.at("kernels")) kernels_.add(name.get<std::string>());
    const auto& sharing = message.at("sharing");
    for (const auto& name : sharing.at("names")) sharing_kernels_.add(name.get<std::string>());
    sharing_unnamed_ |= sharing.at("unnamed").get<bool>();
  });
  return reply;
}

HostReply Host::left_behind(double seconds_max) {
  HostReply reply;
  const json message = exchange({{"op", "state"}}, {}, {"state", seconds_max, nullptr}, reply);
  read_fields(reply, "state", [&] { read_changes(message, reply); });
  return reply;
}

Result<Profile> Host::profile(const CallRequest& request, bool measures_machine,
                              double seconds_max) {
  HostReply reply;
  json asked = one_call("profile", request);
  asked["measures_machine"] = measures_machine;
  const json message = exchange(asked, {}, {"profile", seconds_max, nullptr}, reply);
  if (reply.failed()) return input_error(reply.fault.phase + ": " + reply.fault.what);
  return told_profile(message);
}

BuildAnswer Host::build(const BuildAsk& ask) {
  if (built_bytes_ > k_built_bytes_max) {
    return {false, "",
            "this program has had more than " + std::to_string(k_built_bytes_max >> 20) +
                " MiB of libraries built"};
  }
  BuildAnswer answer = settings_.build(ask);
  compiler_was_late_ = answer.timed_out;
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(answer.path, unknown);
  if (answer.built && !unknown) built_bytes_ += bytes;
  return answer;
}

bool Host::serve(const json& message, double seconds_max) {
  try {
    if (message.at("ask") != "build" || !settings_.build) return false;
    BuildAsk ask{message.at("kind"),   message.at("name"),
                 message.at("source"), message.at("flags").get<std::vector<std::string>>(),
                 KernelBody::own,      seconds_max};
    if (ask.kind == "cpp") kernels_.add(ask.name);
    if (ask.kind == "cpp" && ask.name == substitution_.kernel) ask.body = substitution_.body;
    BuildAnswer answer = build(ask);
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

HostFault Host::fault_of_wait(Waited waited, const std::string& phase, double seconds_max) {
  if (waited == Waited::malformed) {
    return protocol_breach(phase, "a frame that is too long, or descriptors beside it");
  }
  if (waited == Waited::stopped) {
    HostFault fault;
    fault.kind = limit_broken_.find("memory") != std::string::npos ? Kind::out_of_memory
                                                                   : Kind::runtime_error;
    fault.phase = phase;
    fault.what = "the program used " + limit_broken_;
    return fault;
  }
  if (waited == Waited::timeout) {
    HostFault fault;
    fault.kind = Kind::timeout;
    fault.phase = phase;
    fault.what = "no answer within " + std::to_string(static_cast<int>(seconds_max)) + " s";
    if (compiler_was_late_) fault.what += ": the compiler that it asked for took too long";
    return fault;
  }
  return fault_of_death(phase);
}

HostFault Host::fault_of_death(const std::string& phase) {
  HostFault fault;
  fault.phase = phase;
  fault.kind = Kind::runtime_error;
  std::unique_lock guard(stopping_);
  const auto status = sandbox::await_exit(jail_);
  guard.unlock();
  fault.what = why_unstoppable(jail_);
  if (!fault.what.empty()) return fault;
  if (jail_.out_of_memory()) {
    fault.kind = Kind::out_of_memory;
    fault.what = "the process was killed for using more than " +
                 std::to_string(settings_.memory_bytes_max >> 20) + " MiB of memory";
  } else if (status) {
    fault.what = "the process ended: " + describe(*status);
  } else {
    fault.what = "the program closed the host's socket";
  }
  fault.detail = plain_text(output_tail_, k_output_tail_bytes);
  return fault;
}

void Host::pause() {
  const std::lock_guard guard(stopping_);
  pauses_.begin();
  freeze_beside();
}

void Host::resume() {
  const std::lock_guard guard(stopping_);
  thaw();
  pauses_.end();
}

void Host::keep_output(std::string_view text) {
  add_to_end(output_tail_, text, k_output_tail_bytes);
}

}  // namespace cupel::measure
