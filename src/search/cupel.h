// Cupel's own strategy, the default with an LLM. docs/strategies.md says why each part is there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/drafting/fixing.h"
#include "search/drafting/tuning.h"
#include "search/history/branches.h"
#include "search/history/elites.h"
#include "search/history/value.h"
#include "search/step/allowance.h"
#include "search/step/strategy.h"

namespace cupel::search {

struct CupelOptions {
  std::string name = "cupel";
  // From the task: one an idea, or as many without ideas; half of the queries at most.
  int first_writes = 10;
  int lines = 4;             // starts whose fastest programs are parents to choose from
  bool free_parents = true;  // what is free may be one of them
  bool crosses = true;       // merges and grafts
  bool tunes = true;         // numbers that programs mark as free to choose
  int analysis_after = 10;   // improvements of the fastest program in vain; 0: none is asked for
  int stall = 30;            // verdicts without a gain, after which new ideas are asked for
  int brainstorms_max = 4;   // the first one included
  Escalation fixes;
  TuningLimits tuning;
  // A child is chosen without the verdicts of at most this many others: two lanes of ten places,
  // so that neither questions nor builds wait for the other; a third of the queries.
  int in_flight_max = 20;
  StopRule stop{0.01, 50};
  std::int64_t queries_max = 300;
};

// Asynchronous: fills the budget's slots, first with fixes, then with new children, and never
// waits but for the first ideas and for the first of their programs. Draws nothing.
class Cupel final : public Strategy {
 public:
  explicit Cupel(CupelOptions options);
  std::string_view name() const override { return options_.name; }
  Step next(const History& history, const Budget& budget, Rng& rng) const override;

 private:
  // What a child is made from; counts what was drafted in this step.
  struct Sources;
  bool wants_ideas(const History& history, const Sources& sources) const;
  bool wants_analysis(const Sources& sources) const;
  bool waits_for_starts(const Sources& sources, const History& history, const Step& step) const;
  void add_fixes(const Branches& branches, Allowance& allowance, Step& step) const;
  void add_tunings(const History& history, const Sources& sources, Step& step) const;
  // Ideas and analyses that are due.
  void add_questions(const History& history, Sources& sources, Allowance& allowance,
                     Step& step) const;
  Draft child(Sources& sources) const;
  Draft from_idea(Sources& sources, Proposal::Kind kind) const;
  Draft from_elite(Sources& sources) const;

  CupelOptions options_;
};

}  // namespace cupel::search
