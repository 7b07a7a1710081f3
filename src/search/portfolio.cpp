#include "search/portfolio.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

namespace cupel::search {
namespace {

// A proposal is known by its kind and label; its source may be long.
using Key = std::pair<Proposal::Kind, std::string>;

std::set<Key> proposed_before(const History& history) {
  std::set<Key> keys;
  for (const Judged& entry : history.judged) {
    keys.emplace(entry.proposal.kind, entry.proposal.label);
  }
  for (const Proposal& entry : history.pending) keys.emplace(entry.kind, entry.label);
  for (const Proposal& entry : history.rejected) keys.emplace(entry.kind, entry.label);
  return keys;
}

Draft draft_of(Proposal::Kind kind, const std::string& name, const std::string& label,
               const std::string& source, const char* reason) {
  Draft draft;
  draft.proposal.kind = kind;
  draft.proposal.label = name;
  draft.proposal.reason = reason;
  draft.candidate_label = label;
  draft.source = source;
  return draft;
}

Draft draft_of(const Candidate& file) {
  return draft_of(Proposal::Kind::file, file.label, file.label, file.source,
                  "the user asked for it");
}

Draft draft_of(const Seed& seed) {
  return draft_of(Proposal::Kind::seed, seed.name, seed.label, seed.source,
                  "it costs nothing to try");
}

std::string too_long(const Seed& seed, double seconds_left) {
  return fmt::format("compiling takes about {:.0f} s, and {:.0f} s of the budget are left",
                     seed.expected_compile_s, seconds_left);
}

}  // namespace

Portfolio::Portfolio(std::vector<Candidate> files, std::vector<Seed> seeds)
    : files_(std::move(files)), seeds_(std::move(seeds)) {}

Step Portfolio::next(const History& history, const Budget& budget, Rng&) const {
  std::set<Key> known = proposed_before(history);
  Step step;
  for (const Candidate& file : files_) {
    if (known.emplace(Proposal::Kind::file, file.label).second) {
      step.drafts.push_back(draft_of(file));
    }
  }
  for (const Seed& seed : seeds_) {
    if (!known.emplace(Proposal::Kind::seed, seed.name).second) continue;
    if (seed.expected_compile_s > budget.seconds_left) {
      step.skips.push_back({seed.name, too_long(seed, budget.seconds_left)});
    } else {
      step.drafts.push_back(draft_of(seed));
    }
  }
  return step;
}

}  // namespace cupel::search
