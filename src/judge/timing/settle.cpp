#include "judge/timing/settle.h"

#include "base/result.h"
#include "judge/finding.h"
#include "judge/timing/decision.h"
#include "judge/timing/limits.h"

namespace cupel::judge {
namespace {

Stop stop_of_ratio(const stats::PairedRatio& ratio) {
  const stats::Interval& sure = ratio.total_999;
  if (ratio.blocks >= k_loser_blocks_min && sure.high < k_loser_ratio) return Stop::clear_loser;
  if (ratio.blocks < k_settled_blocks_min) return Stop::go_on;
  return ratio.half_width() < k_half_width_tight ? Stop::tight : Stop::go_on;
}

// A win that brackets do not show yet is worth more calls.
Stop stop_of_timing(const Weighing& weighing) {
  const bool unsure = decide(weighing.told) == Outcome::faster && weighing.unshown() != nullptr;
  return unsure ? Stop::go_on : stop_of_ratio(weighing.told);
}

bool failed(Stop stop) {
  return stop == Stop::fault || stop == Stop::failed_check;
}

Stop stop_in(const Round& round, std::size_t program) {
  CUPEL_CHECK(program >= 1 && program < round.evidence.programs.size());
  const ProgramEvidence& judged = round.evidence.programs[program];
  const ProgramEvidence& baseline = round.baseline();
  const CheckSummary summary = round.summary_of(judged);
  if (find_infra_fault(round, judged) || find_host_fault(judged)) return Stop::fault;
  if (find_wrong(round, judged, summary) || find_late_write(judged, summary)) {
    return Stop::failed_check;
  }
  if (judged.calls.empty() || baseline.calls.empty()) return Stop::go_on;
  const Stop stop = stop_of_timing(weigh(timed(round.evidence, judged, summary.passed),
                                         timed(round.evidence, baseline, round.twin.passed),
                                         round.evidence.metric));
  return stop == Stop::tight && !summary.unchecked.empty() ? Stop::go_on : stop;
}

}  // namespace

Stop stop_of(const Evidence& evidence, std::size_t program, const TaskFacts& facts,
             const Admission& admission, const TaskSettings& settings) {
  return stop_in(Round(evidence, facts, admission, settings), program);
}

Settlement settled(const Evidence& evidence, const TaskFacts& facts, const Admission& admission,
                   const TaskSettings& settings) {
  const Round round(evidence, facts, admission, settings);
  bool all_failed = true;
  for (std::size_t program = 1; program < evidence.programs.size(); ++program) {
    const Stop stop = stop_in(round, program);
    if (stop == Stop::go_on) return {};
    all_failed &= failed(stop);
  }
  return {true, all_failed ? "fault" : "settled"};
}

}  // namespace cupel::judge
