// What a strategy is: a pure function of (history, budget, rng) that yields the next proposals.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "model/candidate.h"
#include "model/run.h"

namespace cupel::search {

// All that a strategy may look at. The referred values outlive the call.
struct History {
  std::span<const Judged> judged;      // in the order of the verdicts
  std::span<const Proposal> pending;   // proposed, without a verdict yet
  std::span<const Proposal> rejected;  // closed without a verdict: duplicates, budget
};

struct Budget {
  double seconds_left = std::numeric_limits<double>::infinity();
};

// A proposal without its id, which the engine gives.
struct Draft {
  Proposal::Kind kind = Proposal::Kind::seed;
  std::string label;            // becomes Proposal::label
  std::string candidate_label;  // for people
  std::string source;
  std::vector<std::string> parents;  // candidate ids
  std::string reason;                // one sentence for `cupel why`
};

// A candidate that the strategy decided not to propose.
struct Skip {
  std::string label;
  std::string why;
};

// No drafts while nothing is pending means that the search is over.
struct Step {
  std::vector<Draft> drafts;
  std::vector<Skip> skips;
};

// Thread-safe, since it has no state that changes: the same arguments give the same step.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::string_view name() const = 0;
  virtual Step next(const History& history, const Budget& budget, Rng& rng) const = 0;
};

}  // namespace cupel::search
