#include "search/history/lineage.h"

#include <algorithm>
#include <cmath>

#include "search/winning/standing.h"

namespace cupel::search {
namespace {

constexpr double k_speed_min = 1e-9;  // of a program that was not timed

using OriginOf = std::unordered_map<const Judged*, const Proposal*>;

OriginOf origins_of(const Branches& branches) {
  OriginOf origins;
  for (const Branch& branch : branches.all()) {
    if (const Judged* correct = branch.correct()) {
      origins.emplace(correct, branch.attempts.front().proposal);
    }
  }
  return origins;
}

}  // namespace

bool Kin::is_hit() const {
  return log_gain > std::log(k_hit_gain);
}

Lineage::Lineage(const History& history, const Branches& branches) {
  const OriginOf origins = origins_of(branches);
  for (const Judged& entry : history.judged) {
    if (!is_correct(entry.verdict.outcome)) continue;
    const auto origin = origins.find(&entry);
    const bool asked = origin != origins.end();
    if (asked || !asks_agent(entry.proposal.kind)) {
      add(entry, asked ? *origin->second : entry.proposal);
    }
  }
}

// A parent was judged before its child was proposed, so it is known by now.
void Lineage::add(const Judged& judged, const Proposal& origin) {
  const std::size_t place = kin_.size();
  Kin kin{&judged, &origin, std::log(std::max(speed_of(judged), k_speed_min))};
  for (const std::string& id : origin.parents) {
    if (const auto parent = find(id)) kin.parents.push_back(*parent);
  }
  kin.line = place;
  if (!kin.parents.empty()) {
    kin.line = kin_[kin.parents.front()].line;
    kin.log_gain = kin.log_speed - kin_[kin.parents.front()].log_speed;
  } else if (is_free(judged.proposal)) {
    kin.line = first_free_.value_or(place);
    first_free_ = kin.line;
  }
  by_id_.emplace(judged.candidate.id, place);
  kin_.push_back(std::move(kin));
}

std::optional<std::size_t> Lineage::find(std::string_view candidate_id) const {
  const auto found = by_id_.find(candidate_id);
  return found == by_id_.end() ? std::nullopt : std::optional(found->second);
}

// A parent's place comes before its child's, so one way back meets them all.
std::vector<bool> Lineage::ancestry(std::size_t program) const {
  std::vector<bool> behind(kin_.size(), false);
  behind[program] = true;
  for (std::size_t place = program + 1; place-- > 0;) {
    if (!behind[place]) continue;
    for (const std::size_t parent : kin_[place].parents) behind[parent] = true;
  }
  return behind;
}

}  // namespace cupel::search
