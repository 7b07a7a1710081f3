// Running a search again from its journal: no process, no question, no cost.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "engine/plan/proposing.h"

namespace cupel::engine {

struct Replayed {
  int steps = 0;       // answers of the strategy that were compared
  int proposals = 0;   // proposals in them
  bool ended = false;  // compared too: that the strategy wanted no more in the end
  // The first decision that comes out otherwise than it was made; empty: none.
  std::string difference;
};

// Goes through the events of any run, finished or not, and asks the strategy at each point of the
// history where it proposed something whether it proposes the same. `source` as in RunRequest.
Result<Replayed> replay(const std::filesystem::path& run_dir, const StrategySource& source = {});

}  // namespace cupel::engine
