// How many replies a step may still ask for. Pure.
#pragma once

#include <cstdint>

#include "search/step/strategy.h"

namespace cupel::search {

// Counts a step's own drafts against what the budget and the strategy's limit leave.
class Allowance {
 public:
  // `queries_max` limits the charged proposals of the whole run, those closed without a verdict
  // included: without that, a strategy whose proposals are all turned away would never end.
  Allowance(const History& history, const Budget& budget, std::int64_t queries_max);

  bool any() const { return left_ > 0; }
  std::int64_t left() const { return left_; }
  // Takes one charged reply if there is one.
  bool take();
  // Keeps no more than `count`.
  void limit(std::int64_t count);

 private:
  std::int64_t left_ = 0;
};

// Charged proposals made so far, whatever became of them.
std::int64_t queries_made(const History& history);

}  // namespace cupel::search
