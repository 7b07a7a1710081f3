#include "judge/judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "judge/feedback.h"
#include "judge/finding.h"
#include "judge/timing/accusations.h"
#include "judge/timing/decision.h"
#include "judge/timing/device_time.h"
#include "judge/timing/limits.h"

namespace cupel::judge {
namespace {

void add_ratio(Verdict& verdict, const TimedProgram& candidate, const TimedProgram& over,
               const Weighing& weighing) {
  if (weighing.told.pairs == 0) return;
  verdict.ratios.push_back(ratio_of(weighing, over.program));
  const auto beside = ratio_beside(candidate, over, verdict.metric);
  if (beside) verdict.other_ratios.push_back(*beside);
}

void add_rival_ratios(Verdict& verdict, const Round& round, const TimedProgram& candidate) {
  const auto& programs = round.evidence.programs;
  for (std::size_t index = 1; index < programs.size(); ++index) {
    const ProgramEvidence& rival = programs[index];
    if (&rival == &candidate.program || rival.calls.empty()) continue;
    const CheckSummary summary = round.summary_of(rival);
    if (find_failure(round, rival, summary)) continue;
    const TimedProgram over = timed(round.evidence, rival, summary.passed);
    add_ratio(verdict, candidate, over, weigh(candidate, over, verdict.metric));
  }
}

void add_notes(Verdict& verdict, const Round& round, const Weighing& weighing) {
  for (Reason& note : notes_of(weighing)) verdict.reasons.push_back(std::move(note));
  if (floor_sound(round.evidence)) return;
  const double claim_ms = median_claim_ns(round.baseline()) / k_ns_per_ms;
  verdict.reasons.push_back(
      {"floor_unsound",
       fmt::format("the baseline's {:.4g} ms are under the floor as well", claim_ms), claim_ms,
       round.evidence.floor_ms});
}

Reason unchecked_note(const CheckSummary& summary) {
  return {"values_unchecked",
          fmt::format("the round ended before inputs of these classes came: {}",
                      fmt::join(summary.unchecked, ", ")),
          static_cast<double>(summary.unchecked.size()), 0};
}

// Faster and same are claims about what was shown; without a second set of weights neither was.
void conclude_timing(Verdict& verdict, const Round& round, const CheckSummary& summary,
                     Outcome outcome, Reason reason) {
  verdict.outcome = outcome;
  const bool one_set = round.facts.weight_bytes > 0 && !summary.other_weights_checked;
  const bool checked_all = summary.unchecked.empty() && !one_set;
  if (one_set) {
    Reason unchecked{"weights_unchecked", "never run under a second set of weights", 0, 1};
    // Nobody cheats his way to `slower`, so that such a round need not look at other weights.
    if (verdict.outcome == Outcome::slower) {
      verdict.reasons.push_back(std::move(unchecked));
    } else {
      verdict.outcome = Outcome::ambiguous;
      reason = std::move(unchecked);
    }
  }
  if (!summary.unchecked.empty()) verdict.reasons.push_back(unchecked_note(summary));
  verdict.feedback = verdict.ratios.empty()
                         ? reason.text
                         : timing_feedback(verdict.outcome, verdict.ratios.front(), checked_all);
  verdict.reasons.insert(verdict.reasons.begin(), std::move(reason));
}

// A gain that nobody audited is none, but for what is taken at its word.
std::optional<Reason> unaudited(const Weighing& weighing, const ProgramEvidence& program) {
  const bool asked = weighing.outcome == Outcome::faster && !program.trusted;
  if (!asked || program.unaudited.empty()) return std::nullopt;
  return Reason{"gain_unshown", "its gain was not audited: " + program.unaudited, 0, 0};
}

void judge_timing(Verdict& verdict, const Round& round, const ProgramEvidence& program,
                  const CheckSummary& summary) {
  const ProgramEvidence& baseline = round.baseline();
  if (program.calls.empty() || baseline.calls.empty()) {
    conclude_timing(verdict, round, summary, Outcome::ambiguous,
                    {"too_few_calls", "right, but no call was timed", 0, k_blocks_min});
    return;
  }
  const TimedProgram candidate = timed(round.evidence, program, summary.passed);
  const TimedProgram over = timed(round.evidence, baseline, round.twin.passed);
  const Weighing weighing = weigh(candidate, over, verdict.metric);
  add_ratio(verdict, candidate, over, weighing);
  if (!verdict.ratios.empty()) add_rival_ratios(verdict, round, candidate);
  add_notes(verdict, round, weighing);
  if (const auto finding = find_accusation(round.evidence, candidate, over, weighing)) {
    return conclude(verdict, *finding);
  }
  auto doubt = unaudited(weighing, program);
  conclude_timing(verdict, round, summary, doubt ? Outcome::ambiguous : weighing.outcome,
                  doubt ? std::move(*doubt) : reason_of(weighing));
}

bool takes_no_state(const ProgramEvidence& program, const TaskFacts& facts) {
  return program.weights == "seeded" && facts.weight_bytes > 0;
}

Verdict begin(const ProgramEvidence& program, const CheckSummary& summary, const TaskFacts& facts,
              const Admission& admission) {
  Verdict verdict;
  verdict.candidate_id = program.candidate_id;
  verdict.label = program.label;
  verdict.error_rms = summary.error_rms;
  verdict.error_max = summary.error_max;
  verdict.close_1e2 = summary.close_1e2;
  verdict.close_1e4 = summary.close_1e4;
  verdict.checked_calls = summary.checked_calls;
  if (takes_no_state(program, facts)) {
    verdict.reasons.push_back(
        {"weights_seeded",
         "it makes its weights from the seed, in parameters of other names or "
         "shapes: the task's state does not load into it, and with weights as "
         "training leaves them it was not judged",
         0, 0});
  }
  if (!admission.degenerate.empty()) {
    verdict.reasons.push_back({std::string(k_degenerate_task), admission.degenerate.front(),
                               static_cast<double>(admission.degenerate.size()), 0});
  }
  return verdict;
}

Verdict judge_in(const Round& round, std::size_t program) {
  CUPEL_CHECK(program >= 1 && program < round.evidence.programs.size());
  const ProgramEvidence& judged = round.evidence.programs[program];
  const CheckSummary summary = round.summary_of(judged);
  Verdict verdict = begin(judged, summary, round.facts, round.admission);
  verdict.metric = round.evidence.metric;
  if (const auto failure = find_failure(round, judged, summary)) {
    conclude(verdict, *failure);
  } else {
    judge_timing(verdict, round, judged, summary);
    verdict.device_ratios = device_ratios(round.evidence, program, verdict.ratios);
  }
  if (takes_no_state(judged, round.facts)) {
    verdict.feedback += state_feedback();
  } else if (!round.evidence.untrained.empty()) {
    verdict.reasons.push_back(
        {"weights_untrained", fmt::format("{}", fmt::join(round.evidence.untrained, "; ")), 0, 0});
  }
  return verdict;
}

}  // namespace

Verdict judge(const Evidence& evidence, std::size_t program, const TaskFacts& facts,
              const Admission& admission, const TaskSettings& settings) {
  return judge_in(Round(evidence, facts, admission, settings), program);
}

std::vector<Verdict> judge_all(const Evidence& evidence, const TaskFacts& facts,
                               const Admission& admission, const TaskSettings& settings) {
  const Round round(evidence, facts, admission, settings);
  std::vector<Verdict> verdicts;
  for (std::size_t program = 1; program < evidence.programs.size(); ++program) {
    verdicts.push_back(judge_in(round, program));
  }
  return verdicts;
}

}  // namespace cupel::judge
