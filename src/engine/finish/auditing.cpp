#include "engine/finish/auditing.h"

#include <algorithm>
#include <limits>

#include "engine/finish/winner_file.h"
#include "engine/rounds/faults.h"
#include "engine/rounds/final_round.h"
#include "engine/turn/show.h"
#include "judge/audit/audit.h"

namespace cupel::engine {
namespace {

const WinnerAudit* find_audit(const RunRecord& record, const std::string& candidate_id) {
  for (const WinnerAudit& audit : record.audits) {
    if (audit.candidate_id == candidate_id) return &audit;
  }
  return nullptr;
}

search::Settlement settle_last(const journal::RunState& state) {
  return settle(plan_final(state, state.tables.size() - 1), state.record.table);
}

const FinalTable::Row& row_of(const FinalTable& table, const std::string& candidate_id) {
  const auto found =
      std::find_if(table.rows.begin(), table.rows.end(),
                   [&](const FinalTable::Row& row) { return row.candidate_id == candidate_id; });
  CUPEL_CHECK(found != table.rows.end());
  return *found;
}

// The candidate as it is shipped: the file's whole text.
Candidate shipped(const journal::RunState& state, const std::string& candidate_id) {
  Candidate program = state.record.judged.at(state.judged_at.at(candidate_id)).candidate;
  program.source = winner_text(state.record, state.tables.back(), candidate_id);
  return program;
}

Status keep(Sitting& sitting, const Judgement& judgement, double seconds) {
  const Verdict& verdict = judgement.verdicts.front();
  const FinalTable::Row& row = row_of(sitting.state().record.table, verdict.candidate_id);
  const WinnerAudit body{verdict.candidate_id, row.label, judge::confirmed(row.verdict, verdict),
                         seconds};
  if (!body.passed()) {
    sitting.progress.on_note(body.label + " fails its audit: " + body.verdict.headline());
  }
  return sitting.journal.audit(body, judgement.evidence);
}

}  // namespace

std::optional<Measured> await_measurement(Sitting& sitting, std::string_view subject) {
  while (auto completion = sitting.lanes.next(std::numeric_limits<double>::infinity())) {
    Measured* const measured = std::get_if<Measured>(&completion->outcome);
    if (measured && completion->subject == subject) return std::move(*measured);
  }
  return std::nullopt;
}

bool needs_audit(const journal::RunState& state) {
  if (state.tables.empty() || state.record.audits.size() >= k_audits_max) return false;
  const std::string winner_id = settle_last(state).winner_id;
  return !winner_id.empty() && !find_audit(state.record, winner_id);
}

Status audit_winner(Sitting& sitting) {
  const Candidate winner = shipped(sitting.state(), settle_last(sitting.state()).winner_id);
  show(sitting, Stage::audit, winner.label);
  sitting.lanes.audit(std::string(journal::k_audit_subject), winner);
  auto measured = await_measurement(sitting, journal::k_audit_subject);
  if (!measured || sitting.stopped()) return {};
  CUPEL_TRY(const Judgement judgement, std::move(measured->judgement));
  const std::string fault = fault_in(judgement);
  if (!fault.empty() && sitting.state().audit_faults < k_infra_retries) {
    sitting.progress.on_note("the winner is audited once more: " + fault);
    return sitting.journal.fault_audit(fault, judgement.evidence);
  }
  if (!judgement.evidence.infra_fault.empty()) {
    return infra_error("the winner could not be audited: " + fault, "", "resume the run");
  }
  return keep(sitting, judgement, measured->seconds);
}

search::Settlement settle_audited(const journal::RunState& state) {
  const search::Settlement settled = settle_last(state);
  if (settled.winner_id.empty()) return settled;
  const WinnerAudit* const audit = find_audit(state.record, settled.winner_id);
  if (audit && audit->passed()) return settled;
  return {"", std::to_string(state.record.audits.size()) + " winners failed their audits"};
}

}  // namespace cupel::engine
