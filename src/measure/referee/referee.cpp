#include "measure/referee/referee.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/source_text.h"
#include "model/codec.h"
#include "sandbox/tool_pause.h"

namespace cupel::measure {
namespace {

using nlohmann::json;

// Of a source that is read for labels: escaped as JSON it fits a frame of 4 MiB.
constexpr std::size_t k_labelled_bytes_max = 512 << 10;

const char* mix_name(InputMix mix) {
  return mix == InputMix::nominal ? "nominal" : "timed";
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

Result<InputSet> input_set(const json& described) {
  InputSet set;
  CUPEL_TRY(set.input, field<std::int64_t>(described, "input"));
  CUPEL_TRY(set.value_class, field<std::string>(described, "class"));
  CUPEL_TRY(set.values, field<std::string>(described, "values"));
  return set;
}

std::vector<std::string> kept_classes(const AdmissionEvidence& evidence) {
  std::vector<std::string> kept;
  for (const auto& report : evidence.classes) {
    if (report.kept) kept.push_back(report.name);
  }
  return kept;
}

json compare_request(const CompareItem& item) {
  json outputs = json::array();
  for (std::size_t i = 0; i < item.offsets.size(); ++i) {
    outputs.push_back({{"offset", item.offsets[i]}, {"strides", item.strides.at(i)}});
  }
  return {{"program", item.program},
          {"input", item.input},
          {"instance", item.instance},
          {"outputs", outputs},
          {"values", item.values}};
}

}  // namespace

Result<std::unique_ptr<Referee>> Referee::start(const RefereeSettings& settings) {
  const bool with_second = settings.device.name == "cpu" && settings.threads > 1;
  CUPEL_TRY(auto process, RefereeProcess::start(settings, with_second));
  return std::unique_ptr<Referee>(new Referee(std::move(process)));
}

Result<TaskFacts> Referee::open(const Task& task, Policy policy, std::uint64_t input_seed,
                                const std::vector<std::string>& value_classes,
                                const Purpose& purpose) {
  const RefereeSettings& settings = process_->settings();
  process_->set_task(task.path.empty() ? task.module : task.path);
  // On the CPU the referee's own limit: the kernel will hold it to that.
  const auto task_bytes_max = settings.device.name == "cpu"
                                  ? settings.memory_bytes_max
                                  : static_cast<std::uint64_t>(settings.device.memory_bytes);
  const json description{{"kind", "file"},
                         {"path", task.path},
                         {"source", task.source},
                         {"import_root", task.import_root},
                         {"module", task.module},
                         {"input_spec", task.input_spec},
                         {"init_spec", task.init_spec},
                         {"weights", task.weights},
                         {"weights_id", task.weights_id},
                         {"mode", to_string(task.settings.mode)}};
  const json request{{"op", "open"},
                     {"task", description},
                     {"policy", to_string(policy)},
                     {"device", settings.device.name},
                     {"threads", settings.threads},
                     {"memory_bytes", task_bytes_max},
                     {"input_seed", input_seed},
                     {"value_classes", value_classes},
                     {"least_multiple", settings.multiples.least},
                     {"order_multiple", settings.multiples.in_order},
                     {"order_multiple_max", settings.multiples.in_order_max},
                     {"lint_only", purpose.lint_only},
                     {"for_prompts", purpose.for_prompts}};
  CUPEL_TRY(const json reply, process_->ask(request));
  CUPEL_TRY(auto facts, decode_task_facts(reply.value("facts", json()).dump()));
  CUPEL_TRY(imported_files_, field<std::vector<std::string>>(reply, "own_files"));
  CUPEL_TRY(read_files_, field<std::vector<std::string>>(reply, "read_files"));
  open_second(request, facts);
  return facts;
}

// The second process opens a small task while the first one admits it.
void Referee::open_second(const json& request, const TaskFacts& facts) {
  if (!process_->has_second()) return;
  const std::int64_t bytes = facts.weight_bytes + facts.input_bytes + facts.output_bytes;
  second_opens_ = bytes <= k_shared_task_bytes_max && process_->send(1, request).has_value();
  if (!second_opens_) process_->drop_second();
}

Result<AdmissionEvidence> Referee::admit(int samples, std::int64_t memory_bytes) {
  const json request{{"op", "admit"}, {"samples", samples}, {"memory_bytes", memory_bytes}};
  CUPEL_TRY(json reply, process_->ask(request));
  CUPEL_TRY(auto evidence, decode_admission_evidence(reply.value("evidence", json()).dump()));
  know(evidence);
  return evidence;
}

void Referee::know(const AdmissionEvidence& evidence) {
  kept_classes_ = kept_classes(evidence);
  half_way_ = evidence.half_way;
  uses_tf32_ = evidence.uses_tf32;
  no_near_ties_ = evidence.no_near_ties;
}

json Referee::terms(int threads) const {
  return {{"op", "share"},         {"threads", threads},      {"classes", kept_classes_},
          {"half_way", half_way_}, {"uses_tf32", uses_tf32_}, {"no_near_ties", no_near_ties_}};
}

Status Referee::draw(const std::vector<std::string>& value_classes) {
  kept_classes_ = value_classes;
  CUPEL_TRY(const json reply, process_->ask(terms(process_->settings().threads)));
  static_cast<void>(reply);
  return {};
}

Status Referee::readmit(const AdmissionEvidence& evidence) {
  know(evidence);
  return draw(kept_classes_);
}

// From here on both processes make inputs and compare, if the second one is there and well.
void Referee::share_work() {
  if (!second_opens_) return;
  second_opens_ = false;
  const json share = terms(1);
  shared_ = process_->reply(1).has_value() && process_->ask_each({share, share}).has_value();
  if (!shared_) work_alone();
}

void Referee::work_alone() {
  shared_ = false;
  process_->drop_second();
  static_cast<void>(draw(kept_classes_));  // a process that is gone says so at the next request
}

// The same request to each process at work.
Status Referee::tell_each(const json& message, const std::vector<int>& descriptors) {
  CUPEL_TRY(const auto replies,
            process_->ask_each(std::vector<json>(parts(), message), descriptors));
  return {};
}

Status Referee::share_vault(const Arena& vault) {
  share_work();
  return tell_each(
      {{"op", "vault"}, {"bytes", vault.bytes()}, {"device", process_->settings().device.name}},
      {vault.fd()});
}

Status Referee::drop_vault() {
  return tell_each({{"op", "vault"}, {"bytes", 0}});
}

Result<InstanceState> Referee::weights(int instance, std::uint64_t seed, std::int64_t offset) {
  json asked{{"op", "weights"}, {"instance", instance}, {"seed", seed}, {"offset", offset}};
  CUPEL_TRY(const json reply, process_->ask(asked));
  if (shared_) {
    asked["check"] = true;
    if (!process_->send(1, asked) || !process_->reply(1)) work_alone();
  }
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
  CUPEL_TRY(state.notes, field<std::vector<std::string>>(reply, "notes"));
  return state;
}

Result<std::vector<InputSet>> Referee::prepare(std::int64_t first, int count, std::int64_t offset,
                                               std::int64_t stride, int instance,
                                               const InputDraw& draw) {
  std::vector<json> asked;
  for (std::size_t part = 0; part < parts(); ++part) {
    asked.push_back({{"op", "prepare"},
                     {"first", first},
                     {"count", count},
                     {"offset", offset},
                     {"stride", stride},
                     {"instance", instance},
                     {"mix", mix_name(draw.mix)},
                     {"order", draw.order},
                     {"at", draw.at},
                     {"again", draw.again},
                     {"part", {part, parts()}}});
  }
  CUPEL_TRY(const auto replies, process_->ask_each(asked));
  std::vector<InputSet> sets;
  for (const json& reply : replies) {
    CUPEL_TRY(const auto described, field<std::vector<json>>(reply, "sets"));
    for (const auto& entry : described) {
      CUPEL_TRY(auto set, input_set(entry));
      sets.push_back(std::move(set));
    }
  }
  std::sort(sets.begin(), sets.end(),
            [](const InputSet& left, const InputSet& right) { return left.input < right.input; });
  if (static_cast<int>(sets.size()) != count) {
    return bug_error("the referee prepared another number of inputs than asked for");
  }
  return sets;
}

Result<std::vector<Compared>> Referee::compare(const std::vector<CompareItem>& items) {
  std::vector<json> asked(parts(), {{"op", "compare"}, {"items", json::array()}});
  std::vector<std::vector<std::size_t>> places(parts());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t part = part_of(items[i].input);
    asked[part]["items"].push_back(compare_request(items[i]));
    places[part].push_back(i);
  }
  CUPEL_TRY(const auto replies, process_->ask_each(asked));
  std::vector<Compared> found(items.size());
  for (std::size_t part = 0; part < replies.size(); ++part) {
    CUPEL_TRY(const auto compared, field<std::vector<json>>(replies[part], "items"));
    if (compared.size() != places[part].size()) {
      return bug_error("the referee compared another number of calls than asked for");
    }
    for (std::size_t i = 0; i < compared.size(); ++i) {
      Compared& one = found[places[part][i]];
      CUPEL_TRY(one.outputs, field<std::vector<OutputError>>(compared[i], "outputs"));
      CUPEL_TRY(one.own, field<std::vector<OutputError>>(compared[i], "own"));
      CUPEL_TRY(one.in_order, field<std::vector<OutputError>>(compared[i], "in_order"));
      CUPEL_TRY(one.wrong, field<std::vector<std::string>>(compared[i], "wrong"));
    }
  }
  return found;
}

// One at a time: a frame has room for any source that is looked at, and not for many.
Result<std::vector<std::vector<Label>>> Referee::labels(const std::vector<std::string>& sources) {
  std::vector<std::vector<Label>> all;
  for (const std::string& source : sources) {
    all.emplace_back();
    if (source.size() > k_labelled_bytes_max || !source_problem(source).empty()) continue;
    CUPEL_TRY(const json reply, process_->ask({{"op", "labels"}, {"source", source}}));
    CUPEL_TRY(all.back(), decode_labels(reply.dump()));
  }
  return all;
}

Result<GraphExport> Referee::graph() {
  CUPEL_TRY(const json reply, process_->ask({{"op", "graph"}}));
  return decode_graph_export(reply.dump());
}

Status Referee::release(std::int64_t first, int count) {
  return tell_each({{"op", "release"}, {"first", first}, {"count", count}});
}

Sharing::Work preparing(RoundReferee& referee, Sharing::Work hosts) {
  const auto pause = [&referee, work = hosts.pause] {
    work();
    referee.pause();
    sandbox::pause_tools();
  };
  const auto resume = [&referee, work = std::move(hosts.resume)] {
    sandbox::resume_tools();
    referee.resume();
    work();
  };
  return {pause, resume};
}

}  // namespace cupel::measure
