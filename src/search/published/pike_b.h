// PIKE-B: phases that branch from the best of the phase before, with an agent that mends errors
// (Nagaitsev, Grbcic, Williams, Iancu 2025, arXiv:2511.16964).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/history/branches.h"
#include "search/step/strategy.h"

namespace cupel::search {

// The paper's constants; the variants change one each.
struct PikeBOptions {
  std::string name = "pike-b";
  bool brainstorms = true;       // no-iba: phase 0 writes from the task alone
  int fixes_max = 5;             // rounds a failing candidate gets; no-efa: 0
  Tier fix_tier = Tier::strong;  // cheap-efa: cheap
  int parents_max = 4;           // correct ones of the previous phase that have children
  int children = 10;             // of a phase; ideas of the brainstorm
  std::int64_t queries_max = 300;
};

// Phase-locked: nothing of a phase is proposed while anything of the phase before it is pending,
// fixes included. A phase is planned from the verdicts of the one before, so that a sitting that
// was cut while it proposed one goes on with what is missing of the same plan. Draws nothing.
class PikeB final : public Strategy {
 public:
  explicit PikeB(PikeBOptions options);
  std::string_view name() const override { return options_.name; }
  Step next(const History& history, const Budget& budget, Rng& rng) const override;

 private:
  std::vector<Draft> plan(const Branches& branches, int phase,
                          std::span<const std::string_view> ideas) const;
  std::vector<Draft> first_phase(std::span<const std::string_view> ideas) const;
  std::vector<Draft> from_original(int phase) const;

  PikeBOptions options_;
};

// `children` over `parents` > 0, the first ones one more where it does not divide: 10 over 4 is
// 3, 3, 2, 2.
std::vector<int> split(int children, int parents);

// Brainstorms that may fail before a strategy goes on without ideas.
inline constexpr int k_brainstorms_max = 2;

}  // namespace cupel::search
