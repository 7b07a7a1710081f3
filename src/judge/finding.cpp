#include "judge/finding.h"

#include <fmt/format.h>

#include <algorithm>

#include "judge/codes.h"
#include "judge/feedback.h"

namespace cupel::judge {
namespace {

constexpr std::string_view k_phase_recall = "recall";
constexpr std::string_view k_phase_call = "call";
// How measure says that a process is gone, and CUDA that its context is.
constexpr std::string_view k_host_ended = "the pro";
constexpr std::string_view k_device_broken = "CUDA";
// Where an argument that is no tensor has another value than in the task's calls.
constexpr std::string_view k_other_options = "other_values";

Finding infra(Fault fault, std::string code, std::string text) {
  return {Outcome::infra_fault, fault, {std::move(code), text, 0, 0}, text};
}

Finding tells_nothing(const std::string& why) {
  const std::string text =
      "the task tells right programs from wrong ones on no value class: " + why;
  return {Outcome::degenerate, Fault::reference, {"no_usable_class", text, 0, 0}, text};
}

Outcome outcome_of(HostFault::Kind kind) {
  switch (kind) {
    case HostFault::Kind::build_error:
      return Outcome::build_error;
    case HostFault::Kind::runtime_error:
      return Outcome::runtime_error;
    case HostFault::Kind::timeout:
      return Outcome::timeout;
    case HostFault::Kind::out_of_memory:
      return Outcome::out_of_memory;
    case HostFault::Kind::invalid_reply:
      return Outcome::invalid_reply;
    default:
      return Outcome::infra_fault;
  }
}

std::optional<Finding> baseline_fault(const ProgramEvidence& baseline) {
  if (baseline.fault.kind == HostFault::Kind::none) return std::nullopt;
  const bool ours = baseline.fault.kind == HostFault::Kind::infra;
  return infra(ours ? Fault::us : Fault::reference, "baseline_failed",
               "the baseline failed: " + fault_feedback(baseline));
}

std::optional<Finding> baseline_wrong(const Round& round) {
  auto finding = find_wrong(round, round.baseline(), round.twin);
  if (!finding) finding = find_late_write(round.baseline(), round.twin);
  if (!finding) return std::nullopt;
  return infra(Fault::reference, "baseline_wrong",
               "the baseline failed its own checks: " + finding->feedback);
}

std::optional<Finding> find_form_mismatch(const Round& round, const ProgramEvidence& program) {
  for (const FormMismatch& mismatch : program.mismatches) {
    if (mismatch.kind == "strides" && !round.settings.strict_strides) continue;
    const bool known = find_code(mismatch.kind) != nullptr;
    return wrong(known ? mismatch.kind : "type",
                 fmt::format("{} differs: got {}, must be {} (input {})", mismatch.kind,
                             mismatch.got, mismatch.want, mismatch.input));
  }
  return std::nullopt;
}

std::optional<Finding> find_mutation(const Round& round, const ProgramEvidence& program) {
  const bool allowed =
      round.settings.allow_mutated_inputs || round.admission.evidence.mutates_inputs;
  if (allowed || program.mutated_inputs.empty()) return std::nullopt;
  return wrong(
      "mutated_input",
      fmt::format(
          "input {} or the memory around it was written to; the reference leaves it as it is",
          program.mutated_inputs.front()),
      static_cast<double>(program.mutated_inputs.size()), 0);
}

// Of a burst, before its last call: single calls were right, or one of those would have failed
// first.
bool spoiled_later(const ProgramEvidence& program, const OutputCheck& check) {
  return std::any_of(program.batches.begin(), program.batches.end(), [&](const BatchSample& batch) {
    return batch.first_input >= 0 && batch.first_input <= check.input &&
           check.input < batch.first_input + batch.calls - 1;
  });
}

// As torch.compile() with CUDA graphs has it: what it returned raises once it was called again.
bool unreadable_later(const HostFault& fault) {
  return fault.kind == HostFault::Kind::runtime_error && fault.phase == k_phase_recall;
}

Finding unreadable(const HostFault& fault) {
  return wrong(
      "aliased_output",
      "an output that was read right after its call could not be read once the program had "
      "been called again (does it return memory that a later call writes to? Then return "
      "a copy of it): " +
          fault.what);
}

// It runs, and is right, until a user sets an option otherwise than the task does.
std::optional<Finding> find_refused_option(const ProgramEvidence& program,
                                           const CheckSummary& summary) {
  const bool is_right = !program.checks.empty() && summary.failed.empty();
  if (!is_right || program.fault.value_class != k_other_options || !raised(program.fault)) {
    return std::nullopt;
  }
  Finding finding = wrong(
      "range",
      "right with the options that the task's own calls have; where an argument that is no tensor "
      "has another value, which the reference takes, it raises an error: " +
          program.fault.what);
  finding.feedback +=
      "; compute from each option's value, as the reference does\n" + fault_feedback(program);
  return finding;
}

Finding aliased(const FailedCheck& failed) {
  Finding finding =
      wrong("aliased_output", describe_failure(failed), failed.failure.value, failed.failure.limit);
  finding.feedback =
      "right when its output is read at once; of calls in a row the outputs were no longer right "
      "after the last: does it return memory that a later call writes to? " +
      finding.feedback;
  return finding;
}

}  // namespace

void conclude(Verdict& verdict, const Finding& finding) {
  verdict.outcome = finding.outcome;
  verdict.fault = finding.fault;
  verdict.reasons.insert(verdict.reasons.begin(), finding.reason);
  verdict.feedback = finding.feedback;
}

Round::Round(const Evidence& of_round, const TaskFacts& of_task, const Admission& lint,
             const TaskSettings& allowed)
    : evidence(of_round),
      facts(of_task),
      admission(lint),
      settings(allowed),
      twin(summary_of(baseline())) {}

CheckSummary Round::summary_of(const ProgramEvidence& program) const {
  return summarize(program, facts, admission);
}

std::optional<Finding> find_infra_fault(const Round& round, const ProgramEvidence& program) {
  if (!round.evidence.infra_fault.empty()) {
    return infra(Fault::us, "round_failed", round.evidence.infra_fault);
  }
  if (auto finding = baseline_fault(round.baseline())) return finding;
  if (auto finding = baseline_wrong(round)) return finding;
  if (program.fault.kind != HostFault::Kind::infra) return std::nullopt;
  return infra(Fault::us, "host_failed", fault_feedback(program));
}

bool load_may_cause(Outcome failure) {
  return failure == Outcome::infra_fault || failure == Outcome::timeout;
}

bool raised(const HostFault& fault) {
  const bool in_call = fault.kind == HostFault::Kind::runtime_error && fault.phase == k_phase_call;
  const bool broken =
      fault.what.starts_with(k_host_ended) || fault.what.find(k_device_broken) != std::string::npos;
  return in_call && !broken;
}

std::optional<Finding> find_host_fault(const ProgramEvidence& program) {
  if (program.fault.kind == HostFault::Kind::none) return std::nullopt;
  if (unreadable_later(program.fault)) return unreadable(program.fault);
  const Outcome outcome = outcome_of(program.fault.kind);
  return Finding{outcome,
                 Fault::candidate,
                 {std::string(to_string(outcome)), program.fault.what, 0, 0},
                 fault_feedback(program)};
}

std::optional<Finding> find_wrong(const Round& round, const ProgramEvidence& program,
                                  const CheckSummary& summary) {
  if (auto finding = find_form_mismatch(round, program)) return finding;
  if (auto finding = find_mutation(round, program)) return finding;
  const auto failed = wrong_check(summary);
  if (!failed) return std::nullopt;
  if (spoiled_later(program, *failed->shown.check)) return aliased(failed->shown);
  Finding finding = wrong(failed->code, describe_failure(failed->shown),
                          failed->shown.failure.value, failed->shown.failure.limit);
  finding.feedback = wrong_feedback(*failed, summary);
  return finding;
}

std::optional<Finding> find_late_write(const ProgramEvidence& program,
                                       const CheckSummary& summary) {
  std::string text;
  if (!program.late_writes.empty()) {
    text = fmt::format("outputs of input {} changed after the reply ({} calls)",
                       program.late_writes.front(), program.late_writes.size());
  } else {
    for (const FailedCheck& failed : summary.failed) {
      if (!failed.late) continue;
      const auto poison = failed.check->outputs[failed.failure.leaf].poison;
      text = fmt::format("{} elements of output {} were not there when the reply to input {} came",
                         poison, failed.failure.leaf, failed.check->input);
      break;
    }
  }
  if (text.empty()) return std::nullopt;
  return Finding{Outcome::suspect,
                 Fault::candidate,
                 {"late_write", text, 0, 0},
                 text + ": all work must be done when forward() returns"};
}

Finding wrong(std::string code, const std::string& text, double value, double limit) {
  return {Outcome::wrong, Fault::candidate, {std::move(code), text, value, limit}, text};
}

Finding suspect(std::string code, const std::string& text, double value, double limit) {
  return {Outcome::suspect, Fault::candidate, {std::move(code), text, value, limit}, text};
}

std::optional<Finding> find_failure(const Round& round, const ProgramEvidence& program,
                                    const CheckSummary& summary) {
  if (auto finding = find_infra_fault(round, program)) return finding;
  if (auto finding = find_refused_option(program, summary)) return finding;
  if (auto finding = find_host_fault(program)) return finding;
  if (auto finding = find_wrong(round, program, summary)) return finding;
  if (auto finding = find_late_write(program, summary)) return finding;
  if (summary.checked_calls > 0) return std::nullopt;
  if (round.admission.tolerances.empty() && !round.admission.degenerate.empty()) {
    return tells_nothing(round.admission.degenerate.front());
  }
  return infra(Fault::us, "no_evidence",
               "no call was checked on a value class that can be relied on");
}

}  // namespace cupel::judge
