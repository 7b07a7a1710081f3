// The fastest correct programs of a whole run, and what another child of each is worth. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "search/branches.h"
#include "search/strategy.h"

namespace cupel::search {

struct Elite {
  const Judged* judged = nullptr;
  double speed = 0;
  int rank = 0;      // 0: the fastest
  int children = 0;  // asked for with it as the first parent, pending ones included
  int hits = 0;      // of them, faster than it by k_hit_gain
  std::string root;  // the program that its line of first parents began with
};

// A child counts as a hit from this ratio over its parent on: below is noise.
inline constexpr double k_hit_gain = 1.01;

// Refers to the history.
class Elites {
 public:
  // The `count_max` fastest of all phases, of which at most one is free: the portfolio's fastest
  // are often the same compiler under several names. None is where `with_free` is false.
  Elites(const History& history, const Branches& branches, int count_max, bool with_free);

  std::span<const Elite> all() const { return elites_; }  // fastest first

  // Takes the elite whose next child is expected to gain most, and counts that child, so that
  // asking again spreads over the others. Needs one elite.
  //
  // The expectation is (hits + 1) / (children + 2), Laplace's rule of succession for a child
  // being faster than this parent, over 1 + gap / typical, where `gap` is the log ratio by which
  // the parent trails the fastest and `typical` the run's mean log gain of a hit: a parent that
  // trails by a typical gain needs twice the luck. Heavy-tailed on purpose, so that a line that
  // trails (agents' programs behind a compiler's) is tried again once the leader's children fail.
  const Elite& take();

  // Two elites of different roots, the fastest such pair whose crossing was not asked for yet.
  // Counts the child. Empty if there is none.
  std::vector<const Elite*> take_pair();

 private:
  void count_child(const Elite& elite);
  double worth(const Elite& elite) const;

  std::vector<Elite> elites_;
  std::vector<std::vector<std::string>> crossed_;  // parents of crossings asked for
  double typical_log_gain_ = 0;
};

}  // namespace cupel::search
