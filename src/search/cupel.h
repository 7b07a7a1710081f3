// Cupel's own strategy, the default with an LLM. docs/strategies.md says why each part is there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/allowance.h"
#include "search/branches.h"
#include "search/elites.h"
#include "search/fixing.h"
#include "search/strategy.h"
#include "search/value.h"

namespace cupel::search {

struct CupelOptions {
  std::string name = "cupel";
  int first_writes = 10;     // from the task: one an idea, or as many without ideas
  int elites = 6;            // parents to choose from, of the whole run
  bool free_parents = true;  // the fastest seed or file of the user's may be one
  int cross_every = 5;       // every so many children one crosses two lines; 0: none
  int stall = 30;            // verdicts without a gain, after which new ideas are asked for
  int brainstorms_max = 4;   // the first one included
  Escalation fixes;
  // A child is chosen without the verdicts of at most this many others.
  int in_flight_max = 16;
  StopRule stop{0.01, 50};
  std::int64_t queries_max = 300;
};

// Asynchronous: fills the budget's slots, first with fixes, then with new children, and never
// waits but for the first ideas. Draws nothing.
class Cupel final : public Strategy {
 public:
  explicit Cupel(CupelOptions options);
  std::string_view name() const override { return options_.name; }
  Step next(const History& history, const Budget& budget, Rng& rng) const override;

 private:
  // What a child is made from; counts what was drafted in this step.
  struct Sources;
  bool wants_ideas(const History& history, const Sources& sources) const;
  void add_fixes(const Branches& branches, Allowance& allowance, Step& step) const;
  Draft child(Sources& sources) const;
  Draft from_idea(Sources& sources, Proposal::Kind kind) const;
  Draft improve(Sources& sources) const;

  CupelOptions options_;
};

}  // namespace cupel::search
