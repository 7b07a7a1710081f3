// History as strategies read it: every child that agents were asked for, with its fixes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/step/strategy.h"

namespace cupel::search {

// One reply that was asked for.
struct Attempt {
  const Proposal* proposal = nullptr;
  const Judged* judged = nullptr;  // null: pending, or closed without a verdict
  bool pending = false;
};

// A child and its fixes, in the order of fix rounds; at least one attempt. Only its last attempt
// can be open: a fix follows the verdict of what it mends.
struct Branch {
  int phase = 0;
  int number = 0;  // Proposal::branch
  std::span<const Attempt> attempts;

  const Attempt& last() const { return attempts.back(); }
  bool pending() const { return last().pending; }
  const Judged* correct() const;   // the program it came to; null: none
  const Judged* mendable() const;  // what a next fix would mend; null: nothing
  int fixes() const { return last().proposal->fix_round; }
};

// Proposals that ask an agent for a candidate, by phase and number. Refers to the history, which
// must outlive it. O(n log n) to make, O(log n) to search.
class Branches {
 public:
  explicit Branches(const History& history);
  Branches(const Branches&) = delete;
  Branches& operator=(const Branches&) = delete;

  std::span<const Branch> all() const { return branches_; }
  std::span<const Branch> of_phase(int phase) const;
  std::span<const Branch> since_phase(int phase) const;
  const Branch* find(int phase, int number) const;  // null: not proposed yet
  int last_phase() const;                           // -1: none was proposed

 private:
  std::vector<Attempt> attempts_;  // by phase, number, fix round
  std::vector<Branch> branches_;
};

// Proposals pending that ask an agent.
int in_flight(const History& history);

// What came of asking for ideas.
struct Ideas {
  int asked = 0;  // brainstorms proposed so far
  bool pending = false;
  std::string last_id;                  // of the last brainstorm that was proposed
  std::vector<std::string_view> texts;  // of all brainstorms, in the order of the answers
};
Ideas ideas_of(const History& history);

}  // namespace cupel::search
