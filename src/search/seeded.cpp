#include "search/seeded.h"

#include <iterator>
#include <utility>

namespace cupel::search {

Seeded::Seeded(Portfolio portfolio, std::unique_ptr<Strategy> agents)
    : portfolio_(std::move(portfolio)), agents_(std::move(agents)) {}

Step Seeded::next(const History& history, const Budget& budget, Rng& rng) const {
  Step step = portfolio_.next(history, budget, rng);
  Step asked = agents_->next(history, budget, rng);
  std::ranges::move(asked.drafts, std::back_inserter(step.drafts));
  std::ranges::move(asked.skips, std::back_inserter(step.skips));
  step.stop = std::move(asked.stop);
  return step;
}

}  // namespace cupel::search
