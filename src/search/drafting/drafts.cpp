#include "search/drafting/drafts.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace cupel::search {
namespace {

void label(Draft& draft, std::string text) {
  draft.proposal.label = text;
  draft.candidate_label = std::move(text);
}

std::string label_of(const Proposal& proposal) {
  std::string text =
      fmt::format("{} {}.{}", to_string(proposal.kind), proposal.phase, proposal.branch + 1);
  if (proposal.fix_round > 0) text += fmt::format(" round {}", proposal.fix_round);
  return text;
}

}  // namespace

Draft ask(Proposal::Kind kind, Place place, std::vector<std::string> parents, std::string reason) {
  Draft draft;
  draft.proposal.kind = kind;
  draft.proposal.parents = std::move(parents);
  draft.proposal.reason = std::move(reason);
  draft.proposal.charged = true;
  draft.proposal.phase = place.phase;
  draft.proposal.branch = place.branch;
  label(draft, label_of(draft.proposal));
  return draft;
}

Draft brainstorm(std::string reason) {
  Draft draft;
  draft.proposal.kind = Proposal::Kind::brainstorm;
  draft.proposal.reason = std::move(reason);
  label(draft, "brainstorm");
  return draft;
}

Draft analysis(const Judged& parent, std::string reason) {
  Draft draft;
  draft.proposal.kind = Proposal::Kind::analyse;
  draft.proposal.parents = {parent.candidate.id};
  draft.proposal.reason = std::move(reason);
  draft.proposal.charged = true;
  label(draft, "analyse " + parent.proposal.id);
  return draft;
}

Draft tuned(const Judged& parent, std::string source, std::string change) {
  Draft draft;
  draft.proposal.kind = Proposal::Kind::tune;
  draft.proposal.parents = {parent.candidate.id};
  draft.proposal.reason = fmt::format("a marked number of {}, which leads", parent.proposal.id);
  draft.proposal.idea = std::move(change);
  label(draft, "tune " + parent.proposal.id);
  draft.source = std::move(source);
  return draft;
}

Draft mend(const Judged& failed, Place place, Tier tier, int round, int rounds_max) {
  Draft draft;
  draft.proposal = failed.proposal;
  draft.proposal.id.clear();
  draft.proposal.phase = place.phase;
  draft.proposal.branch = place.branch;
  draft.proposal.fix_round = round;
  draft.proposal.tier = tier;
  if (failed.candidate.source.empty()) {
    draft.proposal.reason = fmt::format("{}'s reply held no program: asked again, round {} of {}",
                                        failed.proposal.id, round, rounds_max);
  } else {
    draft.proposal.kind = Proposal::Kind::fix;
    draft.proposal.parents = {failed.candidate.id};
    draft.proposal.reason = fmt::format("fix {} of {} of {}, which is {}", round, rounds_max,
                                        failed.proposal.id, failed.verdict.headline());
  }
  label(draft, label_of(draft.proposal));
  return draft;
}

Draft fix_of(const Branch& branch, Tier tier, int rounds_max) {
  return mend(*branch.mendable(), {branch.phase, branch.number}, tier, branch.fixes() + 1,
              rounds_max);
}

std::string shown_speed(double speed) {
  return fmt::format("{:.2f}x", speed);
}

std::string ranked(int rank) {
  static constexpr std::array<const char*, 4> k_words{"best", "second best", "third best",
                                                      "fourth best"};
  if (rank < static_cast<int>(k_words.size())) return k_words[static_cast<std::size_t>(rank)];
  return fmt::format("number {}", rank + 1);
}

}  // namespace cupel::search
