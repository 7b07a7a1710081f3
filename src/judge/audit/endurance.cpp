#include "judge/audit/endurance.h"

#include <fmt/format.h>

#include <algorithm>

#include "judge/audit/memory_check.h"
#include "judge/feedback.h"
#include "judge/limits.h"
#include "judge/timing/readings.h"

namespace cupel::judge {
namespace {

using Checks = std::vector<OutputCheck> Endurance::*;

// Programs of a trial.
constexpr std::size_t k_trial_programs = 4;
constexpr std::size_t k_own_kernel = 1;
constexpr std::size_t k_idle_kernel = 2;
constexpr std::size_t k_trapping_kernel = 3;

constexpr const char* k_aliased =
    "an output that forward() returned changed when it was called again; return memory that later "
    "calls leave alone";

ProgramEvidence with_checks(const std::vector<OutputCheck>& checks) {
  ProgramEvidence program;
  program.checks = checks;
  return program;
}

// `what` is the sentence that the failed check completes. Nothing where the baseline fails too.
std::optional<Finding> find_failed(const Round& round, const ProgramEvidence& program, Checks list,
                                   const char* code, const char* what) {
  const ProgramEvidence own = with_checks(program.endurance.*list);
  const ProgramEvidence twin = with_checks(round.baseline().endurance.*list);
  if (!round.summary_of(twin).failed.empty()) return std::nullopt;
  const CheckSummary summary = round.summary_of(own);
  if (summary.failed.empty()) return std::nullopt;
  const FailedCheck& failed = summary.failed.front();
  return wrong(
      code,
      fmt::format("{} (instance {}): {}", what, failed.check->instance, describe_failure(failed)),
      failed.failure.value, failed.failure.limit);
}

// A timed call's output, compared bit by bit.
std::optional<Finding> find_changed(const Round& round, const ProgramEvidence& program) {
  const auto& changed = program.endurance.changed;
  if (changed.empty() || !round.baseline().endurance.changed.empty()) return std::nullopt;
  const std::string text = fmt::format("{} (input {}, {} of {} looked at)", k_aliased,
                                       changed.front(), changed.size(), program.endurance.recalled);
  return wrong("aliased_output", text, static_cast<double>(changed.size()), 0);
}

// The last look in the first half of the calls, on fresh inputs.
std::size_t half_of(const std::vector<MemorySample>& memory) {
  return memory.size() / 2 - 1;
}

// In the second half.
std::int64_t gain_bytes(const std::vector<MemorySample>& memory) {
  return memory.size() < 2 ? 0 : memory.back().bytes - memory[half_of(memory)].bytes;
}

std::optional<Finding> find_growth(const Round& round, const ProgramEvidence& program) {
  const std::int64_t own = steady_growth_bytes(program.endurance.memory);
  const std::int64_t twin =
      std::max<std::int64_t>(0, gain_bytes(round.baseline().endurance.memory));
  if (own - twin < k_growth_bytes_min) return std::nullopt;
  const auto& memory = program.endurance.memory;
  const auto calls = static_cast<double>(memory.back().calls - memory[half_of(memory)].calls);
  const auto kib = static_cast<double>(own - twin) / 1024;
  return suspect("memory_growth",
                 fmt::format("its memory grows by {:.4g} KiB a call: {:.4g} MiB over {:.0f} calls",
                             kib / calls, kib / 1024, calls),
                 kib / calls, 0);
}

// The round of one trial, with what the audit's round knows of the task.
Evidence evidence_of(const KernelTrial& trial, const Round& round) {
  Evidence evidence;
  evidence.task_id = round.evidence.task_id;
  evidence.policy = round.evidence.policy;
  evidence.programs = trial.programs;
  return evidence;
}

bool is_sound(const KernelTrial& trial) {
  return trial.programs.size() == k_trial_programs;
}

// Only a death or an exception tells; a program that waits for one that died is not sure.
bool is_called(const KernelTrial& trial) {
  return trial.programs[k_trapping_kernel].fault.kind == HostFault::Kind::runtime_error;
}

bool survives_call(const ProgramEvidence& program) {
  return program.fault.kind == HostFault::Kind::none && !program.calls.empty();
}

// What failed of one of the round's programs, beside the round's reference.
std::optional<Finding> failure_of(const Round& round, std::size_t index) {
  const ProgramEvidence& program = round.evidence.programs[index];
  return find_failure(round, program, round.summary_of(program));
}

// The same of a trial.
std::optional<Finding> failure_in(const Round& round, const KernelTrial& trial, std::size_t index) {
  const Evidence evidence = evidence_of(trial, round);
  return failure_of(Round(evidence, round.facts, round.admission, round.settings), index);
}

bool is_decoy(const Round& round, const KernelTrial& trial) {
  const auto passes = [&](std::size_t index) {
    return survives_call(trial.programs[index]) && !failure_in(round, trial, index);
  };
  if (!is_called(trial) || !passes(k_own_kernel) || !passes(k_idle_kernel)) return false;
  return median_claim_ns(trial.programs[k_idle_kernel]) <=
         k_idle_slowdown_max * median_claim_ns(trial.programs[k_own_kernel]);
}

// What keeps a trial from telling anything; "": nothing does.
std::string problem_of(const Round& round, const KernelTrial& trial) {
  if (!is_sound(trial)) return "it was not tried to its end";
  if (const auto failure = failure_in(round, trial, k_own_kernel)) {
    return "beside its trial the program failed: " + failure->feedback;
  }
  const HostFault& idle = trial.programs[k_idle_kernel].fault;
  if (idle.kind == HostFault::Kind::infra) return "it could not be tried idle: " + idle.what;
  const ProgramEvidence& trapping = trial.programs[k_trapping_kernel];
  const bool told = is_called(trial) || survives_call(trapping);
  return told ? "" : "it could not be tried as a trap: " + trapping.fault.what;
}

std::optional<Finding> failure_on(const HeldOutRound& held_out, const TaskSettings& settings) {
  if (held_out.programs.size() < 2) return std::nullopt;
  Evidence evidence;
  evidence.programs = held_out.programs;
  return failure_of(Round(evidence, held_out.facts, held_out.admission, settings), 1);
}

// What a kind of held-out round says of a program.
struct Wording {
  const char* code;    // of a failure
  const char* text;    // of what is held out, and of the failure
  const char* excuse;  // of a program that tells a part; nullptr: that is a failure
  bool may_raise;      // an error is as good as an answer
  const char* note;    // the code of an excuse
};

Wording wording_of(HeldOutRound::Kind kind) {
  switch (kind) {
    case HeldOutRound::Kind::layout:
      return {"layout",
              "with {}: {}; bring inputs to the shapes and strides that are relied on "
              "(.expand(..).contiguous()), return what nothing else needs (.clone()), or raise an "
              "error",
              "it raises an error in some of them", true, "layout_refused"};
    case HeldOutRound::Kind::option:
      return {"option",
              "with {}: {}; compute what they ask for, leave them out of forward's signature, or "
              "raise an error",
              "it raises an error in some of them", true, "option_refused"};
    case HeldOutRound::Kind::load:
      return {"weights", "with {}: {}; derive what weights give in prepare(), or in every call",
              nullptr, true, "load_refused"};
    case HeldOutRound::Kind::state:
      return {"module_state", "{}: {}", "buffers of the task's have other names or shapes in it",
              false, "state_unkept"};
    case HeldOutRound::Kind::inputs:
      return {"mutated_input", "{}: {}", nullptr, false, ""};
    default:
      return {"held_out_shape", "with {}, which the task holds out: {}", nullptr, false, ""};
  }
}

// Why nothing can be held against a program that fails there; "": nothing.
std::string excuse_of(const HeldOutRound& held_out) {
  if (held_out.programs.size() < 2) return "";
  const ProgramEvidence& program = held_out.programs[1];
  const Wording wording = wording_of(held_out.kind);
  if (wording.may_raise && raised(program.fault)) return program.fault.what;
  return wording.excuse && tells_a_part(program) ? wording.excuse : "";
}

// What the task itself cannot do there; "": nothing of that kind.
std::string problem_of(const HeldOutRound& held_out, const TaskSettings& settings) {
  if (!held_out.problem.empty()) return held_out.problem;
  const auto failure = failure_on(held_out, settings);
  return failure && failure->fault == Fault::reference ? failure->feedback : "";
}

}  // namespace

std::optional<Finding> find_in_endurance(const Round& round, const ProgramEvidence& program) {
  auto finding = find_failed(round, program, &Endurance::turns, "instance_order",
                             "wrong where two instances are called in turns");
  if (!finding) {
    finding = find_failed(round, program, &Endurance::late, "changes_later",
                          "right at first, wrong after many calls");
  }
  if (!finding) {
    finding = find_failed(round, program, &Endurance::held, "aliased_output", k_aliased);
  }
  if (!finding) finding = find_changed(round, program);
  return finding ? finding : find_growth(round, program);
}

std::int64_t steady_growth_bytes(const std::vector<MemorySample>& memory) {
  if (memory.size() < k_growth_samples_min) return 0;
  const std::int64_t total = gain_bytes(memory);
  std::int64_t largest = 0;
  for (std::size_t i = half_of(memory) + 1; i < memory.size(); ++i) {
    largest = std::max(largest, memory[i].bytes - memory[i - 1].bytes);
  }
  const double step_max = k_growth_step_share_max * static_cast<double>(total);
  return total > 0 && static_cast<double>(largest) <= step_max ? total : 0;
}

std::optional<Finding> find_decoy(const Round& round, const std::vector<KernelTrial>& trials) {
  for (const KernelTrial& trial : trials) {
    if (!is_sound(trial) || !is_decoy(round, trial)) continue;
    return suspect("decoy_kernel",
                   fmt::format("with the kernel {} idle it computes the same in the same time: "
                               "the kernel is for show",
                               trial.kernel),
                   0, 0);
  }
  return std::nullopt;
}

std::optional<Finding> find_in_held_out(const Round& round) {
  std::optional<Finding> unproven;
  for (const HeldOutRound& held_out : round.evidence.held_out) {
    auto failure = failure_on(held_out, round.settings);
    if (!failure || failure->fault == Fault::reference) continue;
    if (!excuse_of(held_out).empty()) continue;
    const Wording wording = wording_of(held_out.kind);
    const std::string text =
        fmt::format(fmt::runtime(wording.text), held_out.shape, failure->feedback);
    if (!load_may_cause(failure->outcome)) return wrong(wording.code, text);
    failure->reason.text = failure->feedback = text;
    unproven = std::move(failure);
  }
  return unproven;
}

std::vector<Reason> notes_of(const Round& round) {
  std::vector<Reason> reasons;
  const auto note = [&reasons](const char* code, std::string text) {
    reasons.push_back({code, std::move(text), 0, 0});
  };
  for (const HeldOutRound& held_out : round.evidence.held_out) {
    const std::string excuse = excuse_of(held_out);
    if (!excuse.empty()) {
      note(wording_of(held_out.kind).note, fmt::format("{}: {}", held_out.shape, excuse));
      continue;
    }
    const std::string problem = problem_of(held_out, round.settings);
    if (!problem.empty()) {
      note("shape_unchecked", fmt::format("with {}: {}", held_out.shape, problem));
    }
  }
  for (const KernelTrial& trial : round.evidence.kernel_trials) {
    const std::string problem = problem_of(round, trial);
    if (!problem.empty()) {
      note("kernel_unchecked", fmt::format("the kernel {}: {}", trial.kernel, problem));
    } else if (survives_call(trial.programs[k_trapping_kernel])) {
      note("unused_kernel", fmt::format("the kernel {} is built and never called", trial.kernel));
    }
  }
  if (auto reason = memory_unchecked(round.evidence.memory_check)) {
    reasons.push_back(std::move(*reason));
  }
  return reasons;
}

}  // namespace cupel::judge
