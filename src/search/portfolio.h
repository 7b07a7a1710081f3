// The strategy that needs no LLM: the user's own candidates, then every free seed, in order.
#pragma once

#include <string_view>
#include <vector>

#include "model/candidate.h"
#include "model/seed.h"
#include "search/step/strategy.h"

namespace cupel::search {

// Proposes all that it has at once, the user's files first: somebody waits for those. A seed
// whose expected compile time does not fit the time left is skipped, with the reason.
class Portfolio final : public Strategy {
 public:
  Portfolio(std::vector<Candidate> files, std::vector<Seed> seeds);
  std::string_view name() const override { return "portfolio"; }
  Step next(const History& history, const Budget& budget, Rng& rng) const override;

 private:
  std::vector<Candidate> files_;  // label = path
  std::vector<Seed> seeds_;
};

}  // namespace cupel::search
