#include "engine/rounds/beside.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/stop.h"
#include "engine/rounds/faults.h"
#include "measure/device/slots.h"

namespace cupel::engine {
namespace {

constexpr std::int64_t k_working_factor = 6;
// Of a burst's calls (measure/call/plan.h), where slots are small enough for that.
constexpr std::int64_t k_burst_slots = 8;
constexpr std::int64_t k_burst_bytes_max = 2LL << 30;
constexpr std::int64_t k_weights_factor = 4;
constexpr std::int64_t k_vault_sets_min = 4;
constexpr std::int64_t k_programs_max = 16;

using Programs = std::vector<Candidate>;
using Judgements = std::vector<Judgement>;

// The others may be to blame.
bool is_doubtful(Outcome outcome) {
  return outcome == Outcome::out_of_memory || outcome == Outcome::timeout ||
         outcome == Outcome::infra_fault;
}

Result<Judgements> in_halves(const Programs& programs, const JudgeTogether& judge,
                             const std::function<bool(const Verdict&)>& again) {
  const auto middle = programs.begin() + static_cast<std::ptrdiff_t>(programs.size() / 2);
  CUPEL_TRY(Judgements judgements,
            judge_together(Programs(programs.begin(), middle), judge, again));
  CUPEL_TRY(Judgements rest, judge_together(Programs(middle, programs.end()), judge, again));
  std::ranges::move(rest, std::back_inserter(judgements));
  return judgements;
}

// What a call makes, or what the reference's does.
std::int64_t working_bytes(const TaskFacts& facts) {
  return std::max(k_working_factor * (facts.input_bytes + facts.output_bytes),
                  measure::made_bytes(facts));
}

}  // namespace

std::vector<std::string> ids_of(const std::vector<Candidate>& programs) {
  std::vector<std::string> ids;
  for (const Candidate& program : programs) ids.push_back(program.id);
  return ids;
}

int programs_fitting(const TaskFacts& facts, std::int64_t round_bytes_max) {
  const std::int64_t slots = facts.input_bytes + facts.output_bytes;
  const std::int64_t burst = std::min(k_burst_slots * slots, k_burst_bytes_max);
  const std::int64_t each = measure::k_process_bytes + slots + working_bytes(facts) + burst +
                            k_weights_factor * facts.weight_bytes +
                            k_vault_sets_min * facts.output_bytes;
  return static_cast<int>(std::clamp<std::int64_t>(round_bytes_max / each, 2, k_programs_max));
}

Result<Judgements> judge_beside_or_fault(Evaluator& evaluator, const Programs& programs) {
  Result<Judgements> judgements = evaluator.judge_beside(programs);
  if (judgements && judgements->size() != programs.size()) {
    return bug_error("the evaluator gave " + std::to_string(judgements->size()) +
                     " judgements for " + std::to_string(programs.size()) + " programs");
  }
  if (judgements || judgements.error().tag != ErrorTag::infra) return judgements;
  Judgements faults;
  for (const Candidate& program : programs) {
    faults.push_back(fault_of({program}, judgements.error()));
  }
  return faults;
}

Result<Judgements> judge_together(const Programs& programs, const JudgeTogether& judge,
                                  const std::function<bool(const Verdict&)>& again) {
  CUPEL_TRY(Judgement joint, recorded(judge(programs), programs));
  Judgements judgements;
  if (programs.size() == 1) {
    judgements.push_back(std::move(joint));
    return judgements;
  }
  if (process_stop_flag().raised()) return infra_error("stopped on request");
  if (!joint.evidence.infra_fault.empty()) return in_halves(programs, judge, again);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    Judgement part = part_of(joint, i);
    const Verdict& verdict = part.verdicts.front();
    if (is_doubtful(verdict.outcome) || again(verdict)) {
      CUPEL_TRY(part, recorded(judge({programs[i]}), {programs[i]}));
    }
    judgements.push_back(std::move(part));
  }
  return judgements;
}

Judgement part_of(const Judgement& joint, std::size_t index) {
  Judgement part{joint.evidence, {joint.verdicts[index]}};
  part.evidence.programs = {joint.evidence.programs.front(), joint.evidence.programs[index + 1]};
  const std::string& baseline = part.evidence.programs.front().candidate_id;
  Verdict& verdict = part.verdicts.front();
  for (auto* const ratios : {&verdict.ratios, &verdict.other_ratios, &verdict.device_ratios}) {
    std::erase_if(*ratios, [&](const Ratio& ratio) { return ratio.over_id != baseline; });
  }
  return part;
}

}  // namespace cupel::engine
