// The AI CUDA Engineer's four stages (Lange, Prasad, Sun, Faldor, Tang, Ha 2025): convert the task
// to functional form, translate that to kernels, evolve them with crossover, compose them with
// what earlier runs won with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/history/branches.h"
#include "search/step/strategy.h"

namespace cupel::search {

// The stages are the system's; the numbers are ours, chosen to fit 300 queries, since the system
// as published samples several models at once and states no budget that compares.
struct SakanaOptions {
  std::string name = "sakana";
  int translations = 4;  // side by side, of the functional form
  int children = 8;      // of a generation
  int elites = 5;        // that generations choose parents from, over the whole run
  int crossed = 3;       // parents of a crossing at most
  int generations = 10;  // of evolution; those after them compose
  int fixes_max = 3;
  std::int64_t queries_max = 300;
};

// Phase 0 converts, phase 1 translates, phases from 2 are generations; each waits for the one
// before. Half of a generation improves one elite, half crosses several. Elites are the fastest
// of all phases from 1. Draws nothing.
class Sakana final : public Strategy {
 public:
  explicit Sakana(SakanaOptions options);
  std::string_view name() const override { return options_.name; }
  Step next(const History& history, const Budget& budget, Rng& rng) const override;

 private:
  std::vector<Draft> plan(const Branches& branches, int phase) const;
  std::vector<Draft> translations(const Branches& branches, int phase) const;
  std::vector<Draft> generation(const Branches& branches, int phase) const;

  SakanaOptions options_;
};

}  // namespace cupel::search
