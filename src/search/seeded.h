// A strategy that asks agents, with the free portfolio before it.
#pragma once

#include <memory>
#include <string_view>

#include "search/portfolio.h"
#include "search/step/strategy.h"

namespace cupel::search {

// Proposes what the portfolio has, which costs no query, and beside it what `agents` proposes.
class Seeded final : public Strategy {
 public:
  Seeded(Portfolio portfolio, std::unique_ptr<Strategy> agents);
  std::string_view name() const override { return agents_->name(); }
  Step next(const History& history, const Budget& budget, Rng& rng) const override;

 private:
  Portfolio portfolio_;
  std::unique_ptr<Strategy> agents_;
};

}  // namespace cupel::search
