#include "engine/rounds/final_round.h"

#include <algorithm>
#include <set>

#include "model/seed.h"

namespace cupel::engine {
namespace {

namespace role = search::role;

// An audit is a sitting of its own with two rounds and more: about so many judgements.
constexpr double k_audit_judgements = 2;

const Judged* compile_seed(const std::vector<Judged>& judged) {
  for (const Judged& entry : judged) {
    if (entry.proposal.kind == Proposal::Kind::seed &&
        entry.proposal.label == k_compile_seed_name) {
      return &entry;
    }
  }
  return nullptr;
}

std::string id_of(const Judged* judged) {
  return judged ? judged->candidate.id : "";
}

// The free variants of the round; eager is the zeroth and needs no id.
std::vector<std::string> free_ids(const FinalPlan& plan) {
  std::vector<std::string> ids;
  for (const Judged* judged : {plan.best_free, plan.compile}) {
    if (judged) ids.push_back(judged->candidate.id);
  }
  return ids;
}

FinalTable::Row eager_row(const Judgement& judgement) {
  FinalTable::Row row{std::string(role::k_eager), "", "eager", {}};
  if (!judgement.evidence.programs.empty()) {
    row.candidate_id = judgement.evidence.programs.front().candidate_id;
  }
  Ratio one{"eager", row.candidate_id, 1, 1, 1, 0, 0, 0};
  for (const Verdict& verdict : judgement.verdicts) {
    if (verdict.ratios.empty()) continue;
    one.candidate_ms = one.over_ms = verdict.ratios.front().over_ms;
    one.pairs = verdict.ratios.front().pairs;
    break;
  }
  row.verdict.candidate_id = row.candidate_id;
  row.verdict.label = row.label;
  row.verdict.outcome = Outcome::same;
  row.verdict.ratios = {one};
  return row;
}

FinalTable::Row row_of(std::string_view role, const Judged& judged, const Judgement& judgement) {
  FinalTable::Row row{std::string(role), judged.candidate.id, judged.candidate.label,
                      judged.verdict};
  for (const Verdict& verdict : judgement.verdicts) {
    if (verdict.candidate_id == judged.candidate.id) row.verdict = verdict;
  }
  return row;
}

bool has_row(const FinalTable& table, const std::string& candidate_id) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const FinalTable::Row& row) { return row.candidate_id == candidate_id; });
}

// The rows before anybody knows who wins: what settle() reads.
FinalTable provisional_table(const FinalPlan& plan, const Judgement& judgement) {
  FinalTable table{{eager_row(judgement)}};
  for (const Judged* judged : {plan.compile, plan.best_free, plan.fastest}) {
    if (judged && !has_row(table, judged->candidate.id)) {
      table.rows.push_back(row_of(role::k_runner_up, *judged, judgement));
    }
  }
  return table;
}

const Judged* with_id(const FinalPlan& plan, const std::string& candidate_id) {
  for (const Judged* judged : {plan.compile, plan.best_free, plan.fastest}) {
    if (judged && judged->candidate.id == candidate_id) return judged;
  }
  return nullptr;
}

}  // namespace

FinalPlan plan_final(const journal::RunState& state, std::size_t tables_heeded) {
  std::set<std::string> struck;
  for (std::size_t i = 0; i < tables_heeded; ++i) {
    struck.merge(search::failed_in(state.tables[i]));
  }
  for (std::size_t i = 0; i < state.record.audits.size(); ++i) {
    const WinnerAudit& audit = state.record.audits[i];
    const bool is_heeded = state.audited_after[i] <= tables_heeded;
    if (is_heeded && !audit.passed()) struck.insert(audit.candidate_id);
  }
  const search::Choice choice = search::choose(state.record.judged, struck);
  return {compile_seed(state.record.judged), choice.best_free, choice.fastest};
}

// A program that was judged after the last round, in a run that was opened again, belongs into one.
bool is_new_in_plan(const journal::RunState& state) {
  const FinalPlan plan = plan_final(state, state.tables.size());
  const auto is_new = [&](const Judged* judged) {
    return judged && judged >= state.record.judged.data() + state.judged_when_tabled;
  };
  return is_new(plan.best_free) || is_new(plan.fastest);
}

bool needs_final_round(const journal::RunState& state) {
  const std::size_t held = state.tables.size();
  if (held == 0) return true;
  const auto failed_audits =
      std::count_if(state.record.audits.begin(), state.record.audits.end(),
                    [](const WinnerAudit& audit) { return !audit.passed(); });
  if (held >= static_cast<std::size_t>(k_final_rounds_max + failed_audits)) return false;
  return is_new_in_plan(state) || plan_final(state, held) != plan_final(state, held - 1);
}

std::vector<Candidate> programs_of(const FinalPlan& plan) {
  std::vector<Candidate> programs;
  std::set<std::string> known;
  for (const Judged* judged : {plan.compile, plan.best_free, plan.fastest}) {
    if (!judged || !is_correct(judged->verdict.outcome)) continue;
    if (known.insert(judged->candidate.id).second) programs.push_back(judged->candidate);
  }
  return programs;
}

double final_round_s(const journal::RunState& state) {
  const FinalPlan plan = plan_final(state, state.tables.size());
  double total_s = plan.fastest ? k_audit_judgements * plan.fastest->seconds : 0;
  for (const Candidate& program : programs_of(plan)) {
    for (const Judged* judged : {plan.compile, plan.best_free, plan.fastest}) {
      if (!judged || judged->candidate.id != program.id) continue;
      total_s += judged->seconds;
      break;
    }
  }
  return total_s;
}

FinalTable make_table(const FinalPlan& plan, const Judgement& judgement,
                      const std::vector<WinnerAudit>& audits) {
  FinalTable provisional = provisional_table(plan, judgement);
  apply_audits(provisional, audits);
  const std::string winner_id = settle(plan, provisional).winner_id;
  const std::string best_free_id = search::best_free_in(provisional, free_ids(plan));
  FinalTable table{{provisional.rows.front()}};
  const auto add = [&](std::string_view role, const Judged* judged) {
    if (judged) table.rows.push_back(row_of(role, *judged, judgement));
  };
  add(role::k_compile, plan.compile);
  add(role::k_best_free, with_id(plan, best_free_id));
  add(role::k_winner, with_id(plan, winner_id));
  for (const FinalTable::Row& row : provisional.rows) {
    if (!has_row(table, row.candidate_id)) table.rows.push_back(row);
  }
  return table;
}

search::Settlement settle(const FinalPlan& plan, const FinalTable& table) {
  const std::string best_free_id = search::best_free_in(table, free_ids(plan));
  return search::settle(table, id_of(plan.fastest), best_free_id);
}

}  // namespace cupel::engine
