#include "judge/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/result.h"
#include "judge/audit/endurance.h"
#include "judge/audit/memory_check.h"
#include "judge/audit/process_state.h"
#include "judge/audit/surroundings.h"
#include "judge/finding.h"
#include "judge/judge.h"
#include "judge/limits.h"
#include "stats/quantile.h"

namespace cupel::judge {
namespace {

constexpr std::size_t k_candidate = 1;
constexpr std::size_t k_references[] = {0, 2};

std::size_t other_reference(std::size_t reference) {
  return reference == k_references[0] ? k_references[1] : k_references[0];
}

using Place = std::pair<int, std::int64_t>;  // round, position in its sequence of calls

// The positions right behind a call of the candidate's.
std::set<Place> behind_candidate(const Evidence& audit) {
  std::set<Place> behind;
  const ProgramEvidence& candidate = audit.programs[k_candidate];
  for (const auto* calls : {&candidate.calls, &candidate.untimed}) {
    for (const CallSample& call : *calls) behind.emplace(call.round, call.order + 1);
  }
  return behind;
}

// Of one input's reference calls.
struct InputTimes {
  double claim_ns[k_audit_programs] = {};
  int calls = 0;
  std::optional<std::size_t> victim;    // the reference that followed the candidate, if one did
  std::size_t later = k_references[0];  // that was called after the other one
  std::int64_t later_order = -1;

  // The one that nobody disturbed. After a reversal of the turn the earlier one follows itself.
  std::size_t undisturbed() const { return victim ? other_reference(*victim) : later; }
};

std::map<std::int64_t, InputTimes> times_by_input(const Evidence& audit) {
  const auto behind = behind_candidate(audit);
  std::map<std::int64_t, InputTimes> times;
  for (const std::size_t reference : k_references) {
    for (const CallSample& call : audit.programs[reference].calls) {
      InputTimes& of_input = times[call.input];
      of_input.claim_ns[reference] = std::max(1.0, static_cast<double>(call.claim_ns));
      ++of_input.calls;
      if (call.order > of_input.later_order) {
        of_input.later = reference;
        of_input.later_order = call.order;
      }
      if (!behind.contains({call.round, call.order})) continue;
      of_input.victim = reference;
    }
  }
  std::erase_if(times, [](const auto& entry) { return entry.second.calls != 2; });
  return times;
}

// A reference that fails beside itself: the sitting proves nothing. What is no fault of the
// reference's is told as what it is.
Verdict unsound(const Verdict& second, const ProgramEvidence& candidate) {
  Verdict verdict;
  verdict.candidate_id = candidate.candidate_id;
  verdict.label = candidate.label;
  verdict.outcome = Outcome::infra_fault;
  if (second.outcome == Outcome::infra_fault) {
    verdict.fault = second.fault;
    verdict.feedback = second.feedback;
    verdict.reasons = second.reasons;
    return verdict;
  }
  const bool is_wrong = second.outcome == Outcome::wrong;
  verdict.fault = Fault::reference;
  verdict.feedback = "the second reference of the audit failed: " + second.feedback;
  verdict.reasons = {{is_wrong ? "baseline_wrong" : "baseline_failed", verdict.feedback, 0, 0}};
  return verdict;
}

void look_beyond_timing(Verdict& verdict, const Round& round) {
  for (Reason& reason : notes_of(round)) verdict.reasons.push_back(std::move(reason));
  const ProgramEvidence& candidate = round.evidence.programs[k_candidate];
  for (auto& note : {left_behind_note(round, candidate), surroundings_unchecked(round)}) {
    if (note) verdict.reasons.push_back(*note);
  }
  // In the order in which an audit asks.
  auto finding = find_in_held_out(round);
  if (!finding) finding = find_in_surroundings(round);
  if (!finding) finding = find_bad_memory(round.evidence.memory_check);
  if (!finding) finding = find_decoy(round, round.evidence.kernel_trials);
  if (!finding) finding = find_in_endurance(round, candidate);
  if (!finding) finding = find_left_behind(round, candidate);
  if (!finding) return;
  conclude(verdict, *finding);
  // Neither what is `wrong` nor what is unproven has ratios; a suspect keeps them.
  if (finding->outcome != Outcome::suspect) verdict.ratios.clear();
}

}  // namespace

double disturbance(const Evidence& audit) {
  CUPEL_CHECK(audit.programs.size() == k_audit_programs);
  // By victim: what differs between the two processes cancels in the mean of both.
  std::map<std::size_t, std::vector<double>> logs;
  for (const auto& [input, times] : times_by_input(audit)) {
    if (!times.victim) continue;
    const double other = times.claim_ns[other_reference(*times.victim)];
    logs[*times.victim].push_back(std::log(times.claim_ns[*times.victim] / other));
  }
  double sum = 0;
  for (const std::size_t reference : k_references) {
    if (logs[reference].size() < k_disturbance_inputs_min) return 1;
    sum += stats::median(logs[reference]);
  }
  return std::exp(sum / 2);
}

Evidence undisturbed(const Evidence& audit) {
  CUPEL_CHECK(audit.programs.size() == k_audit_programs);
  std::map<std::int64_t, std::size_t> chosen;  // input to the reference that stands for it
  for (const auto& [input, times] : times_by_input(audit)) {
    chosen[input] = times.undisturbed();
  }
  const auto stands_for = [&chosen](std::int64_t input) {
    const auto found = chosen.find(input);
    return found == chosen.end() ? k_references[0] : found->second;
  };
  Evidence evidence = audit;
  evidence.programs.pop_back();
  ProgramEvidence& baseline = evidence.programs.front();
  baseline.calls.clear();
  baseline.checks.clear();
  for (const std::size_t reference : k_references) {
    for (const CallSample& call : audit.programs[reference].calls) {
      const bool counts = chosen.contains(call.input) && stands_for(call.input) == reference;
      if (counts) baseline.calls.push_back(call);
    }
    for (const OutputCheck& check : audit.programs[reference].checks) {
      if (stands_for(check.input) == reference) baseline.checks.push_back(check);
    }
  }
  return evidence;
}

Verdict audit(const Evidence& evidence, const TaskFacts& facts, const Admission& admission,
              const TaskSettings& settings) {
  const Verdict second = judge(evidence, 2, facts, admission, settings);
  if (!is_correct(second.outcome)) return unsound(second, evidence.programs[k_candidate]);
  Verdict verdict = judge(undisturbed(evidence), k_candidate, facts, admission, settings);
  const double factor = disturbance(evidence);
  if (factor > k_disturbance_noted) {
    verdict.reasons.push_back(
        {"disturbs",
         fmt::format("the reference takes {:.3f} times as long right after it as after itself; "
                     "such calls were not counted",
                     factor),
         factor, k_disturbance_noted});
  }
  if (is_correct(verdict.outcome)) {
    look_beyond_timing(verdict, Round(evidence, facts, admission, settings));
  }
  return verdict;
}

Verdict confirmed(const Verdict& before, Verdict audit) {
  if (before.ratios.empty()) return audit;
  const Ratio& first = before.ratios.front();
  audit.reasons.push_back(
      {"audited",
       fmt::format("measured once more, in fresh processes; before that {:.3f}x [{:.3f}, {:.3f}]",
                   first.ratio, first.low, first.high),
       first.ratio, 0});
  if (!audit.ratios.empty()) {
    audit.ratios.insert(audit.ratios.end(), before.ratios.begin() + 1, before.ratios.end());
  }
  return audit;
}

}  // namespace cupel::judge
