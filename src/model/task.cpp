#include "model/task.h"

#include <algorithm>

#include "model/codec.h"
#include "model/names.h"

namespace cupel {
namespace {

constexpr NameTable<Policy, 4> k_policies{{{Policy::eager, "eager"},
                                           {Policy::exact, "exact"},
                                           {Policy::tf32, "tf32"},
                                           {Policy::half, "half"}}};
constexpr NameTable<Mode, 2> k_modes{
    {{Mode::as_constructed, "as_constructed"}, {Mode::inference, "inference"}}};
constexpr NameTable<Metric, 2> k_metrics{
    {{Metric::latency, "latency"}, {Metric::throughput, "throughput"}}};
constexpr NameTable<Task::Kind, 2> k_kinds{
    {{Task::Kind::file, "file"}, {Task::Kind::module, "module"}}};
constexpr NameTable<std::string_view, 10> k_short_dtypes{{{"float32", "f32"},
                                                          {"float64", "f64"},
                                                          {"float16", "f16"},
                                                          {"bfloat16", "bf16"},
                                                          {"int64", "i64"},
                                                          {"int32", "i32"},
                                                          {"int16", "i16"},
                                                          {"int8", "i8"},
                                                          {"uint8", "u8"},
                                                          {"bool", "bool"}}};

std::string_view to_string(Task::Kind kind) {
  return name_of(k_kinds, kind);
}
Result<Task::Kind> parse_kind(std::string_view text) {
  return value_of(k_kinds, text, "kind of task");
}

}  // namespace

std::string_view to_string(Policy policy) {
  return name_of(k_policies, policy);
}
Result<Policy> parse_policy(std::string_view text) {
  return value_of(k_policies, text, "policy");
}

std::string_view to_string(Mode mode) {
  return name_of(k_modes, mode);
}
Result<Mode> parse_mode(std::string_view text) {
  return value_of(k_modes, text, "mode");
}

std::string_view describe(Mode mode) {
  return mode == Mode::inference ? "in inference mode" : "as constructed";
}

std::string_view to_string(Metric metric) {
  return name_of(k_metrics, metric);
}
Result<Metric> parse_metric(std::string_view text) {
  return value_of(k_metrics, text, "metric");
}

std::string describe(const TensorSpec& spec) {
  const std::string_view known = name_of(k_short_dtypes, std::string_view(spec.dtype));
  std::string text = known == "?" ? spec.dtype : std::string(known);
  text += '[';
  for (std::size_t i = 0; i < spec.shape.size(); ++i) {
    text += (i ? "," : "") + std::to_string(spec.shape[i]);
  }
  return text + ']';
}

bool lies_in_input(const TensorSpec& output) {
  return std::find(output.ties.begin(), output.ties.end(), k_tie_input) != output.ties.end();
}

CUPEL_JSON_ENUM(Policy, parse_policy)
CUPEL_JSON_ENUM(Mode, parse_mode)
CUPEL_JSON_ENUM(Metric, parse_metric)
CUPEL_JSON_ENUM(Task::Kind, parse_kind)
CUPEL_JSON_STRUCT(OutputError, rms, max, spread, elements, nonfinite, mismatched, poison, close_1e2,
                  close_1e4, worst_index, worst_got, worst_want, group, group_name)
CUPEL_JSON_STRUCT(TaskSettings, policy, mode, value_classes, strict_strides, allow_mutated_inputs,
                  held_out)
CUPEL_JSON_STRUCT(Task, id, name, kind, path, module, input_spec, init_spec, import_root, source,
                  weights, weights_id, settings)
CUPEL_JSON_STRUCT(TensorSpec, dtype, shape, strides, bytes, ties)
CUPEL_JSON_STRUCT(ProgramFacts::Source, module, text)
CUPEL_JSON_STRUCT(ProgramFacts, init, weights, sources, left_out)
CUPEL_JSON_STRUCT(TaskFacts, inputs, outputs, input_tree, output_tree, has_value_inputs, options,
                  init_pickle, parameter_count, weight_bytes, input_bytes, output_bytes, peak_bytes,
                  program)
CUPEL_JSON_STRUCT(ClassReport, name, kept, reason, outputs)
CUPEL_JSON_STRUCT(MutantReport, name, value_class, outputs)
CUPEL_JSON_STRUCT(AdmissionEvidence, oracle, deterministic, mutates_inputs, changes_state,
                  uses_tf32, in_half, in_two_terms, half_way, input_fully_read, reference_ms,
                  classes, no_near_ties, mutants, notes)
CUPEL_JSON_STRUCT(Tolerance, value_class, rms_max, error_max, mismatched_max, group_max)
CUPEL_JSON_STRUCT(Admission, evidence, k, k_rms, low_precision, tolerances, degenerate, weak_at_1e2)

std::string encode(const Task& task) {
  return encode_value(task);
}
std::string encode(const TaskFacts& facts) {
  return encode_value(facts);
}
std::string encode(const AdmissionEvidence& evidence) {
  return encode_value(evidence);
}
std::string encode(const Admission& admission) {
  return encode_value(admission);
}
Result<Task> decode_task(std::string_view json) {
  return decode_value<Task>(json, "task");
}
Result<TaskFacts> decode_task_facts(std::string_view json) {
  return decode_value<TaskFacts>(json, "task facts");
}
Result<AdmissionEvidence> decode_admission_evidence(std::string_view json) {
  return decode_value<AdmissionEvidence>(json, "admission evidence");
}
Result<Admission> decode_admission(std::string_view json) {
  return decode_value<Admission>(json, "admission");
}

}  // namespace cupel
