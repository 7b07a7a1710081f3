// What a strategy is: a pure function of (history, budget, rng) that yields the next proposals.
#pragma once

#include <cstdint>
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
  std::span<const Judged> judged = {};  // in the order of the verdicts; unusable replies are among
                                        // them as `invalid_reply`
  std::span<const Proposal> pending = {};   // proposed, without a verdict or an answer yet
  std::span<const Proposal> rejected = {};  // closed without a verdict: duplicates, budget
  std::span<const Answered> answered = {};  // proposals whose answer is text, in order
};

// What is left after everything spent and everything reserved for what is in flight.
struct Budget {
  double seconds_left = std::numeric_limits<double>::infinity();
  double usd_left = std::numeric_limits<double>::infinity();
  std::int64_t queries_left = std::numeric_limits<std::int64_t>::max();  // charged replies
  // Proposals that the lanes could take up at once. A strategy that waits for whole phases
  // ignores it; one that does not proposes at most this many.
  int slots = std::numeric_limits<int>::max();
};

// A proposal without its id, which the engine gives, and its candidate where no agent writes it.
struct Draft {
  Proposal proposal;
  std::string candidate_label;  // for people
  std::string source;           // empty where an agent is asked
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
  // Why the strategy ends the search although budget is left: one sentence. Empty otherwise.
  std::string stop;
};

// Thread-safe, since it has no state that changes: the same arguments give the same step.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::string_view name() const = 0;
  virtual Step next(const History& history, const Budget& budget, Rng& rng) const = 0;
};

}  // namespace cupel::search
