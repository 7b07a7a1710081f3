#include "engine/finish/ending.h"

#include "base/files.h"
#include "engine/finish/auditing.h"
#include "engine/finish/winner_file.h"
#include "engine/plan/proposing.h"
#include "engine/rounds/faults.h"
#include "engine/rounds/final_round.h"
#include "engine/turn/show.h"

namespace cupel::engine {
namespace {

Result<Judgement> measure_table(Sitting& sitting, const std::vector<Candidate>& programs) {
  if (programs.empty()) return Judgement{};
  sitting.lanes.measure(std::string(journal::k_table_subject), programs);
  auto measured = await_measurement(sitting, journal::k_table_subject);
  if (!measured) return infra_error("stopped on request");
  return std::move(measured->judgement);
}

Status hold_final_round(Sitting& sitting) {
  show(sitting, Stage::final_table);
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
  return sitting.journal.table(make_table(plan, judgement, sitting.state().record.audits),
                               judgement.evidence);
}

// For later runs: this one ends well without.
void learn(Sitting& sitting, const std::string& winner_id) {
  if (!sitting.agents.learn) return;
  RunRecord record = sitting.state().record;
  record.winner_id = winner_id;
  if (const Status learned = sitting.agents.learn(record); !learned) {
    sitting.progress.on_note("later runs will not know this winner: " + learned.error().describe());
  }
}

}  // namespace

Status hold_final_rounds(Sitting& sitting) {
  while (!sitting.stopped()) {
    if (needs_final_round(sitting.state())) {
      CUPEL_TRY_STATUS(hold_final_round(sitting));
    } else if (needs_audit(sitting.state())) {
      CUPEL_TRY_STATUS(audit_winner(sitting));
    } else {
      break;
    }
  }
  return {};
}

Status ship(Sitting& sitting) {
  if (sitting.stopped()) return {};
  show(sitting, Stage::ship);
  const journal::RunState& state = sitting.state();
  const search::Settlement settled = settle_audited(state);
  if (!is_decided(state, decision::k_winner, settled.winner_id)) {
    CUPEL_TRY_STATUS(sitting.journal.decide({decision::k_winner, settled.why, settled.winner_id}));
  }
  RunFinished body{settled.winner_id, ""};
  if (!settled.winner_id.empty()) {
    body.winner_file = k_winner_file;
    CUPEL_TRY_STATUS(
        write_file_atomic(sitting.journal.directory() / k_winner_file,
                          winner_text(state.record, state.tables.back(), settled.winner_id)));
  }
  learn(sitting, settled.winner_id);
  CUPEL_TRY_STATUS(sitting.journal.finish(body));
  show(sitting, Stage::done);
  return {};
}

}  // namespace cupel::engine
