// What the next dollar is worth, by the run's own curve.
#pragma once

#include "journal/state.h"

namespace cupel::engine {

// Verdicts that were paid for over which the curve's slope is taken: about a phase of ten branches
// with its fixes.
inline constexpr int k_worth_window = 20;

struct Worth {
  bool known = false;  // enough was paid for to say
  double gain = 0;     // of the best program's speed over the window; 0.05: 5 % faster
  double usd = 0;      // that the window cost
  double gain_per_usd() const { return gain / usd; }
};

// Gains flatten, so the slope of the last window is an upper guess of the next dollar's.
Worth worth_of(const journal::RunState& state);

}  // namespace cupel::engine
