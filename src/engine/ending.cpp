#include "engine/ending.h"

#include <limits>

#include "base/files.h"
#include "engine/engine.h"
#include "engine/final_round.h"
#include "engine/proposing.h"
#include "engine/show.h"
#include "engine/winner_file.h"

namespace cupel::engine {
namespace {

// Nothing else is under way: the next completion is the round's.
Result<Judgement> measure_table(Sitting& sitting, const std::vector<Candidate>& programs) {
  if (programs.empty()) return Judgement{};
  sitting.lanes.measure(std::string(journal::k_table_subject), programs);
  while (auto completion = sitting.lanes.next(std::numeric_limits<double>::infinity())) {
    Measured* const measured = std::get_if<Measured>(&completion->outcome);
    if (measured && completion->subject == journal::k_table_subject) {
      return std::move(measured->judgement);
    }
  }
  return infra_error("stopped on request");
}

Status hold_final_round(Sitting& sitting) {
  const FinalPlan plan = plan_final(sitting.state(), sitting.state().tables.size());
  Result<Judgement> outcome = measure_table(sitting, programs_of(plan));
  if (sitting.stopped()) return {};
  CUPEL_TRY(const Judgement judgement, std::move(outcome));
  const std::string fault = fault_in(judgement);
  if (!fault.empty() && sitting.state().table_faults < k_infra_retries) {
    sitting.progress.on_note("the final table is measured once more: " + fault);
    return sitting.journal.fault_table(fault, judgement.evidence);
  }
  if (!judgement.evidence.infra_fault.empty()) {
    return infra_error("the final table could not be measured: " + fault, "", "resume the run");
  }
  return sitting.journal.table(make_table(plan, judgement), judgement.evidence);
}

Status learn(Sitting& sitting, const std::string& winner_id) {
  if (!sitting.agents.learn) return {};
  RunRecord record = sitting.state().record;
  record.winner_id = winner_id;
  return sitting.agents.learn(record);
}

}  // namespace

Status hold_final_rounds(Sitting& sitting) {
  while (!sitting.stopped() && needs_final_round(sitting.state())) {
    show(sitting, Stage::final_table);
    CUPEL_TRY_STATUS(hold_final_round(sitting));
  }
  return {};
}

Status ship(Sitting& sitting) {
  if (sitting.stopped()) return {};
  show(sitting, Stage::ship);
  const journal::RunState& state = sitting.state();
  const FinalPlan plan = plan_final(state, state.tables.size() - 1);
  const search::Settlement settled = settle(plan, state.record.table);
  if (!is_decided(state, decision::k_winner, settled.winner_id)) {
    CUPEL_TRY_STATUS(sitting.journal.decide({decision::k_winner, settled.why, settled.winner_id}));
  }
  RunFinished body{settled.winner_id, ""};
  if (!settled.winner_id.empty()) {
    body.winner_file = k_winner_file;
    CUPEL_TRY_STATUS(write_file_atomic(sitting.journal.directory() / k_winner_file,
                                       winner_text(state.record, settled.winner_id)));
  }
  CUPEL_TRY_STATUS(learn(sitting, settled.winner_id));
  CUPEL_TRY_STATUS(sitting.journal.finish(body));
  show(sitting, Stage::done);
  return {};
}

}  // namespace cupel::engine
