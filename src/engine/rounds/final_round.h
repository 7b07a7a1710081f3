// The round that the summary table comes from: every program of the table measured together.
// Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/doors/evaluator.h"
#include "journal/state.h"
#include "model/run.h"
#include "search/winning/choice.h"

namespace cupel::engine {

// Final rounds at most. A further one is held only when a program failed in the last one.
inline constexpr int k_final_rounds_max = 3;

// Who stands in the table, by the verdicts so far; null: nobody. The pointers go into the
// state's judged programs; two roles may be one program.
struct FinalPlan {
  const Judged* compile = nullptr;  // the torch.compile seed, whatever its verdict
  const Judged* best_free = nullptr;
  const Judged* fastest = nullptr;

  bool operator==(const FinalPlan&) const = default;
};

// Programs that failed in one of the first `tables_heeded` final rounds, or in an audit of one of
// their winners, are passed over.
FinalPlan plan_final(const journal::RunState& state, std::size_t tables_heeded);

// True before the first round, and while the last one, or the audit of its winner, struck a program
// whose place another can take (k_final_rounds_max at most, and one for each failed audit).
bool needs_final_round(const journal::RunState& state);

// Those to measure, each once; a program that failed before is not measured again.
std::vector<Candidate> programs_of(const FinalPlan& plan);

// Rough wall time of the next final round and of its winner's audit, in seconds: programs load,
// compile and run again as they did when they were judged, the winner twice more. 0 if there is
// nobody to measure yet.
double final_round_s(const journal::RunState& state);

// The rows with their roles, the settlement's outcome among them. Programs that were not
// measured keep their earlier verdict, those that failed an audit that one.
FinalTable make_table(const FinalPlan& plan, const Judgement& judgement,
                      const std::vector<WinnerAudit>& audits = {});

// The winner by this table. `plan` is the one that its round was made from.
search::Settlement settle(const FinalPlan& plan, const FinalTable& table);

}  // namespace cupel::engine
