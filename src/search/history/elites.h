// The fastest program of each line of a run, and what another child is worth. Pure.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "search/history/branches.h"
#include "search/history/lineage.h"
#include "search/step/strategy.h"

namespace cupel::search {

// What a child is made from.
enum class Move {
  improve,  // one program
  merge,    // one program, and gains of its own line that it does not descend from
  graft,    // one program, and the fastest of another line
};

struct Elite {
  std::size_t place = 0;  // in the lineage
  const Judged* judged = nullptr;
  double speed = 0;
  int rank = 0;      // 0: the fastest
  int children = 0;  // improvements asked for, pending ones included
  int hits = 0;      // of them, faster than it by k_hit_gain
  int vain = 0;      // of them, correct and no faster
};

// A child to ask for.
struct Pick {
  Move move = Move::improve;
  const Elite* elite = nullptr;
  std::vector<const Judged*> others;  // parents beside the elite: those with most to give first
  double worth = 0;                   // expected log gain
};

// Refers to the history and to the lineage.
class Elites {
 public:
  // The fastest program of each of the `lines_max` fastest lines; the line of what is free only
  // where `with_free`. Lines instead of programs, so that a few children of one start do not push
  // all other starts out.
  Elites(const Branches& branches, const Lineage& lineage, int lines_max, bool with_free);

  std::span<const Elite> all() const { return elites_; }  // fastest first

  // The child that is expected to gain most, and counts it, so that asking again spreads over the
  // others. Needs one elite.
  //
  // The expectation is the chance of a hit times its usual size, over 1 + gap / typical, where
  // `gap` is the log ratio by which the elite trails the fastest line that is not free, and
  // `typical` the run's mean log gain of a hit: a parent that trails by a typical gain needs twice
  // the luck. Heavy-tailed on purpose, so that a line that trails (agents' programs behind a
  // compiler's) is tried again once the leader's children fail. Chances are by Laplace's rule of
  // succession, (hits + 1) / (children + 2): of this elite for improvements, of the run for the
  // other two moves. The size is the line's mean for improvements, what the best of the others
  // gained for a merge, and the run's for a graft.
  Pick take(bool with_crossing);

 private:
  struct Record {
    int children = 0;
    int hits = 0;
    double log_gains = 0;
    double chance() const { return (hits + 1.0) / (children + 2.0); }
    double size(double usual) const { return (log_gains + usual) / (hits + 1.0); }
  };

  void choose(int lines_max, bool with_free);
  void count_asked(const Branches& branches);
  void count_child(const Branch& branch, std::size_t parent);
  double trailing(const Elite& elite) const;
  Pick improvement(const Elite& elite) const;
  Pick merge(const Elite& elite) const;
  Pick graft(const Elite& elite) const;
  bool is_crossed(std::size_t one, std::size_t other) const;
  void note_crossed(std::size_t one, std::size_t other);
  void count(const Pick& pick);

  const Lineage& lineage_;
  std::vector<Elite> elites_;
  std::vector<Record> lines_;  // of improvements, by the place that a line begins with
  Record merges_;
  Record grafts_;
  std::set<std::pair<std::size_t, std::size_t>> crossed_;  // asked for, smaller place first
  double typical_log_gain_ = 0;
};

}  // namespace cupel::search
