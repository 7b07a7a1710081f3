#include "measure/host/host_json.h"

#include <nlohmann/json.hpp>

#include "base/source_text.h"
#include "base/text.h"

namespace cupel::measure {
namespace {

using nlohmann::json;
using Kind = HostFault::Kind;

// A host's own sentences are shorter.
constexpr std::size_t k_what_bytes_max = 1024;

// docs/protocol.md: kinds of failure that a host reports about its program.
Kind kind_of_failure(const std::string& kind) {
  if (kind == "build") return Kind::build_error;
  if (kind == "out_of_memory") return Kind::out_of_memory;
  if (kind == "syntax" || kind == "no_class" || kind == "bad_class") return Kind::invalid_reply;
  return Kind::runtime_error;
}

// Of what a program has left behind in its process.
constexpr std::size_t k_changes_max = 64;
constexpr std::size_t k_change_bytes_max = 200;
// A leaf of an output that is no tensor, as text: a host's own are shorter.
constexpr std::size_t k_value_bytes_max = 2048;
// A month.
constexpr double k_told_ns_max = 2.6e15;

}  // namespace

std::int64_t told_ns(const json& value) {
  const auto told = value.get<double>();
  return told >= 0 && told <= k_told_ns_max ? static_cast<std::int64_t>(told) : 0;
}

HostFault fault_of_failure(const json& reply, const std::string& phase) {
  HostFault fault;
  fault.kind = kind_of_failure(reply.value("kind", ""));
  fault.phase = plain_text(reply.value("phase", phase), k_what_bytes_max);
  fault.what = plain_text(reply.value("what", ""), k_what_bytes_max);
  fault.detail = plain_text(reply.value("trace", ""), k_output_tail_bytes);
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
  const Substitution& substitution = request.substitution;
  json message{{"op", "load"},
               {"source", request.source},
               {"class", request.class_name},
               {"init", request.init_pickle},
               {"input_tree", request.input_tree},
               {"inputs", inputs},
               {"output_room", request.output_room_bytes},
               {"holds", request.holds},
               {"in_inputs", request.in_inputs},
               {"instances", instances},
               {"import_root", settings.import_root},
               {"threads", settings.threads},
               {"arenas", request.arena_bytes},
               {"policy", to_string(settings.policy)},
               {"mode", to_string(settings.mode)},
               {"device", settings.device.name}};
  if (!request.nothing_tree.empty()) {
    json leaves = json::array();
    for (const TensorSpec& leaf : request.nothing_leaves) {
      leaves.push_back({{"dtype", leaf.dtype}, {"shape", leaf.shape}});
    }
    message["nothing"] = {{"tree", request.nothing_tree}, {"leaves", leaves}};
  }
  // A library of the CPU's is exchanged where it is handed out: its program need not know.
  if (!settings.device.outputs_in_host) {
    message["substitute"] = {{"kernel", substitution.kernel},
                             {"body", to_string(substitution.body)}};
  }
  return message;
}

void read_fields(HostReply& reply, const std::string& phase, const std::function<void()>& read) {
  if (reply.failed()) return;
  try {
    read();
  } catch (const json::exception& problem) {
    reply.fault = protocol_breach(phase, problem.what());
  }
}

ResultForm result_form(const json& message) {
  ResultForm form;
  form.tree = message.at("tree");
  for (const auto& leaf : message.at("outputs")) {
    form.leaves.push_back({leaf.at("dtype"), leaf.at("shape"), leaf.at("strides")});
  }
  if (message.contains("ties")) {
    for (std::size_t i = 0; i < form.leaves.size(); ++i)
      form.leaves[i].ties = message["ties"].at(i);
  }
  if (message.contains("values")) {
    for (const std::string told : message.at("values")) {
      form.values.push_back(plain_text(told, k_value_bytes_max));
    }
  }
  return form;
}

json one_call(const char* op, const CallRequest& request) {
  json message{{"op", op},
               {"instance", request.instance},
               {"core", request.core},
               {"at", request.inputs.at(0)}};
  if (!request.values.at(0).empty()) message["values"] = request.values[0];
  return message;
}

json several_calls(const char* op, const CallRequest& request) {
  json message{
      {"op", op}, {"instance", request.instance}, {"core", request.core}, {"at", request.inputs}};
  if (!request.values.at(0).empty()) message["values"] = request.values;
  return message;
}

void read_results(const json& message, const CallRequest& request, const std::string& phase,
                  HostReply& reply) {
  for (const auto& result : message.at("outputs")) reply.results.push_back(result_form(result));
  if (reply.results.size() != request.inputs.size()) {
    reply.fault = protocol_breach(phase, "another number of results than calls");
  }
}

void read_done(const json& message, HostReply& reply) {
  read_fields(reply, "call", [&] {
    reply.claim_ns = told_ns(message.at("claim_ns"));
    if (message.contains("device_ns")) {
      // What did not wait for the gate is told as less than nothing.
      const json& told = message["device_ns"];
      reply.device_ns = told == -1 ? -1 : told_ns(told);
    }
    reply.results.push_back(result_form(message));
  });
}

HostFault refusal_of(const std::string& source) {
  HostFault fault;
  const std::string problem = source_problem(source);
  if (problem.empty()) return fault;
  fault.kind = Kind::invalid_reply;
  fault.phase = "import";
  fault.what = "the source is not plain UTF-8 text, one program to every reader: " + problem;
  return fault;
}

void read_changes(const json& message, HostReply& reply) {
  for (const json& change : message.at("changes")) {
    if (reply.left_behind.size() == k_changes_max) break;
    const auto text = [&](const char* name) {
      return plain_text(change.at(name).get<std::string>(), k_change_bytes_max);
    };
    reply.left_behind.push_back({text("what"), text("before"), text("after")});
  }
}

}  // namespace cupel::measure
