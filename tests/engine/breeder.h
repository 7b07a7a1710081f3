// A small strategy for tests of the engine: ideas, then programs from them, then children of the
// best and fixes of what failed, as many at once as there are slots. Draws, and reads all of the
// history, so that a replay that got any of it wrong would differ.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "engine/plan/proposing.h"
#include "search/step/strategy.h"
#include "search/winning/choice.h"

namespace cupel::engine {

class Breeder final : public search::Strategy {
 public:
  explicit Breeder(int queries_max) : queries_max_(queries_max) {}
  std::string_view name() const override { return "breeder"; }

  search::Step next(const search::History& history, const search::Budget& budget,
                    Rng& rng) const override {
    search::Step step;
    if (history.answered.empty() && !is_thinking(history)) {
      const bool tried =
          std::any_of(history.rejected.begin(), history.rejected.end(),
                      [](const Proposal& each) { return each.kind == Proposal::Kind::brainstorm; });
      if (!tried) step.drafts.push_back(draft(Proposal::Kind::brainstorm, {}, ""));
      return step;
    }
    if (history.answered.empty()) return step;
    const int left = queries_max_ - made(history);
    const auto affordable = static_cast<int>(std::min<std::int64_t>(budget.queries_left, left));
    for (int i = 0; i < std::min(affordable, budget.slots); ++i) {
      step.drafts.push_back(child(history, rng));
    }
    return step;
  }

 private:
  static bool is_thinking(const search::History& history) {
    return std::any_of(history.pending.begin(), history.pending.end(), [](const Proposal& each) {
      return each.kind == Proposal::Kind::brainstorm;
    });
  }

  static int made(const search::History& history) {
    int charged = 0;
    for (const Judged& each : history.judged) charged += each.proposal.charged;
    for (const Proposal& each : history.pending) charged += each.charged;
    for (const Proposal& each : history.rejected) charged += each.charged;
    return charged;
  }

  static search::Draft draft(Proposal::Kind kind, std::vector<std::string> parents,
                             std::string idea) {
    search::Draft draft;
    draft.proposal.kind = kind;
    draft.proposal.label = to_string(kind);
    draft.proposal.parents = std::move(parents);
    draft.proposal.idea = std::move(idea);
    draft.proposal.charged = kind != Proposal::Kind::brainstorm;
    return draft;
  }

  static search::Draft child(const search::History& history, Rng& rng) {
    const auto& ideas = history.answered.front().texts;
    const std::string idea = ideas.empty() ? "" : ideas[rng.below(ideas.size())];
    if (!history.judged.empty() && rng.below(3) == 0) {
      const Judged& last = history.judged.back();
      const bool failed = !is_correct(last.verdict.outcome) && !last.candidate.id.empty();
      if (failed) return draft(Proposal::Kind::fix, {last.candidate.id}, "");
    }
    const Judged* const best = search::choose(history.judged, {}).fastest;
    if (best && rng.below(2) == 0) {
      return draft(Proposal::Kind::improve, {best->candidate.id}, idea);
    }
    return draft(Proposal::Kind::write, {}, idea);
  }

  int queries_max_;
};

inline StrategySource breeder(int queries_max) {
  return [queries_max](const journal::RunState&) -> Result<std::unique_ptr<search::Strategy>> {
    return std::make_unique<Breeder>(queries_max);
  };
}

}  // namespace cupel::engine
