// What another strategy would have made of the programs that earlier runs bought, at no cost: it
// decides on virtual time, and each of its questions is answered by a recorded program, which
// costs, takes and is worth what it did then.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/run.h"

namespace cupel::engine {

struct WhatIf {
  std::string strategy;   // "as recorded" for the runs themselves
  int recorded = 0;       // programs that could be drawn
  int drawn = 0;          // and were
  int like_for_like = 0;  // of these, that were written for the same parents in the same way
  double best = 0;        // ratio over eager of the fastest that was judged `faster`; 0: none
  std::string best_id;    // which one that is
  std::string best_label;
  double best_free = 1;                  // that of the seeds, or 1
  std::vector<double> best_after;        // of the bought ones, after each reply for a program
  std::int64_t nano_usd = 0;             // without what a reader was paid
  std::int64_t nano_usd_until_best = 0;  // of the programs that were judged up to the best
  double seconds = 0;
  std::string end;
};

// 0: as recorded.
struct WhatIfBudget {
  std::int64_t nano_usd_max = 0;
  std::int64_t queries_max = 0;
  double minutes_max = 0;
};

// All runs are of one task; the budget is that of their first one where `budget` names none. The
// runs themselves come first, taken together and whole, whatever the budget.
//
// A question is answered by a recorded program of its kind and its parents; else of its kind; else
// by any that is left, earliest first, and no program twice. So a strategy is compared on how it
// spends, not on what it would have been told: the further its questions are from those that were
// asked, the less that says (`like_for_like`). Where all are drawn the search ends.
Result<std::vector<WhatIf>> what_if(const std::vector<std::filesystem::path>& run_dirs,
                                    const std::vector<std::string>& strategies,
                                    const WhatIfBudget& budget = {});

}  // namespace cupel::engine
