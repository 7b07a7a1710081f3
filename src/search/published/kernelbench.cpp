#include "search/published/kernelbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "search/drafting/drafts.h"
#include "search/step/allowance.h"
#include "search/winning/standing.h"

namespace cupel::search {
namespace {

// The last turn of every conversation, by its number. Turns are phases, so later ones come later.
std::map<int, const Branch*> conversations(const Branches& branches) {
  std::map<int, const Branch*> last;
  for (const Branch& turn : branches.all()) last[turn.number] = &turn;
  return last;
}

bool goes_on(const Branch& turn, int turns) {
  return turn.phase + 1 < turns && (turn.correct() || turn.mendable());
}

}  // namespace

KernelBench::KernelBench(KernelBenchOptions options) : options_(std::move(options)) {}

Draft KernelBench::turn_after(const Branch& last) const {
  const int turn = last.phase + 1;
  const Place place{turn, last.number};
  const std::string of = fmt::format("turn {} of {}", turn + 1, options_.turns);
  if (const Judged* correct = last.correct()) {
    return ask(Proposal::Kind::improve, place, {correct->candidate.id},
               fmt::format("{} refines {} ({})", of, correct->proposal.id,
                           shown_speed(speed_of(*correct))));
  }
  const Judged& failed = *last.mendable();
  return mend(failed, place, Tier::strong, last.fixes() + 1, options_.turns - 1);
}

Step KernelBench::next(const History& history, const Budget& budget, Rng&) const {
  const Branches branches(history);
  Allowance allowance(history, budget, options_.queries_max);
  allowance.limit(budget.slots);
  Step step;
  const auto last_turns = conversations(branches);
  for (const auto& [number, turn] : last_turns) {
    if (goes_on(*turn, options_.turns) && allowance.take()) {
      step.drafts.push_back(turn_after(*turn));
    }
  }
  int number = last_turns.empty() ? 0 : last_turns.rbegin()->first + 1;
  while (allowance.take()) {
    step.drafts.push_back(ask(Proposal::Kind::write, {0, number}, {},
                              fmt::format("sample {} from the task alone", number + 1)));
    ++number;
  }
  return step;
}

}  // namespace cupel::search
