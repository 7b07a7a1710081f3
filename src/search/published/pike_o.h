// PIKE-O: islands of MAP-Elites in the manner of OpenEvolve, with an agent that mends errors
// (Nagaitsev, Grbcic, Williams, Iancu 2025, arXiv:2511.16964).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "search/history/branches.h"
#include "search/published/islands.h"
#include "search/step/strategy.h"

namespace cupel::search {

// The paper's constants; each rung of its ladder changes one.
struct PikeOOptions {
  std::string name = "pike-o";
  IslandSizes sizes;       // 1isl: one island; sl: an archive of 4
  SelectionRatios ratios;  // eo: exploit 1
  int inspirations = 3;    // fastest of the island, beside the parent; mut: 0
  int fixes_max = 5;       // no-efa: 0
  int parallel = 10;       // replies and verdicts in flight; npar: 1
  std::int64_t queries_max = 300;
};

// Asynchronous: as many children in flight as `parallel` and the budget's slots allow, islands in
// turn. Draws parents; everything else follows from the history.
class PikeO final : public Strategy {
 public:
  explicit PikeO(PikeOOptions options);
  std::string_view name() const override { return options_.name; }
  Step next(const History& history, const Budget& budget, Rng& rng) const override;

 private:
  Islands library(const History& history) const;
  Draft child(const Islands& islands, int iteration, Rng& rng) const;

  PikeOOptions options_;
};

}  // namespace cupel::search
