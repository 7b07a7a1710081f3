#include "model/evidence.h"

#include "model/codec.h"
#include "model/names.h"

namespace cupel {
namespace {

using FaultKind = HostFault::Kind;
constexpr NameTable<Role, 3> k_roles{
    {{Role::baseline, "baseline"}, {Role::rival, "rival"}, {Role::candidate, "candidate"}}};
constexpr NameTable<FaultKind, 7> k_faults{{{FaultKind::none, "none"},
                                            {FaultKind::build_error, "build_error"},
                                            {FaultKind::runtime_error, "runtime_error"},
                                            {FaultKind::timeout, "timeout"},
                                            {FaultKind::out_of_memory, "out_of_memory"},
                                            {FaultKind::invalid_reply, "invalid_reply"},
                                            {FaultKind::infra, "infra"}}};
using LookedAt = HeldOutRound::Kind;
constexpr NameTable<LookedAt, 6> k_looked_at{{{LookedAt::shape, "shape"},
                                              {LookedAt::layout, "layout"},
                                              {LookedAt::option, "option"},
                                              {LookedAt::load, "load"},
                                              {LookedAt::state, "state"},
                                              {LookedAt::inputs, "inputs"}}};

Result<Role> parse_role(std::string_view text) {
  return value_of(k_roles, text, "role");
}
Result<FaultKind> parse_fault(std::string_view text) {
  return value_of(k_faults, text, "fault");
}
Result<LookedAt> parse_looked_at(std::string_view text) {
  return value_of(k_looked_at, text, "kind of a held-out round");
}

}  // namespace

std::string_view to_string(Role role) {
  return name_of(k_roles, role);
}
std::string_view to_string(FaultKind kind) {
  return name_of(k_faults, kind);
}
std::string_view to_string(LookedAt kind) {
  return name_of(k_looked_at, kind);
}

bool tells_a_part(const ProgramEvidence& program) {
  return !program.mismatches.empty() && program.mismatches.front().got.starts_with(k_partial_tree);
}

CUPEL_JSON_ENUM(Role, parse_role)
CUPEL_JSON_ENUM(HostFault::Kind, parse_fault)
CUPEL_JSON_ENUM(HeldOutRound::Kind, parse_looked_at)
CUPEL_JSON_STRUCT(CallSample, input, round, value_class, order, bracket_ns, claim_ns, seen_ns)
CUPEL_JSON_STRUCT(QueuedSample, turn, round, device_ns)
CUPEL_JSON_STRUCT(BatchSample, calls, bracket_ns, open_ns, copy_ns, total_ns, first_input, counted,
                  round)
CUPEL_JSON_STRUCT(OutputCheck, input, value_class, instance, outputs, own, in_order)
CUPEL_JSON_STRUCT(FormMismatch, kind, got, want, input)
CUPEL_JSON_STRUCT(HostFault, kind, phase, what, detail, input, value_class)
CUPEL_JSON_STRUCT(MemorySample, calls, bytes)
CUPEL_JSON_STRUCT(StateChange, what, before, after)
CUPEL_JSON_STRUCT(Endurance, calls, turns, held, late, recalled, changed, memory, left_behind)
CUPEL_JSON_STRUCT(SharingKernels, names, unnamed)
CUPEL_JSON_STRUCT(ProgramEvidence, candidate_id, label, role, trusted, fault, import_ms,
                  construct_ms, first_call_ms, weights, layout_differs, calls, untimed, queued,
                  batches, checks, mismatches, mutated_inputs, late_writes, output_tail, unaudited,
                  kernels, sharing, endurance)
CUPEL_JSON_STRUCT(KernelTrial, kernel, programs)
CUPEL_JSON_STRUCT(HeldOutRound, kind, shape, problem, facts, admission, programs)
CUPEL_JSON_STRUCT(RoundCost, wait_hosts_ms, wait_device_ms, load_ms, warmup_ms, prepare_ms,
                  calls_ms, compare_ms, audit_ms, endurance_ms, wall_ms, judge_cpu_ms)
CUPEL_JSON_STRUCT(DeviceClocks, compute_mhz_min, compute_mhz_max, throttled)
CUPEL_JSON_STRUCT(Evidence, task_id, policy, mode, metric, programs, floor_ms, stop_reason,
                  sandbox_grade, device, clocks, threads, untrained, infra_fault, cost, rounds,
                  exchanges_ns, still_exchanges_ns, staged_calls_max, kernel_trials, held_out,
                  memory_check, surroundings)

std::string encode(const Evidence& evidence) {
  return encode_value(evidence);
}
Result<Evidence> decode_evidence(std::string_view json) {
  return decode_value<Evidence>(json, "evidence");
}

}  // namespace cupel
