#include "search/elites.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "search/standing.h"

namespace cupel::search {
namespace {

// A hit's gain before the run has shown any, and how many hits that counts for.
constexpr double k_prior_log_gain_of_hit = 0.15;

// A correct program, and the proposal that its branch began with: a fix's parent is what it
// mended, not what it descends from.
struct Origin {
  const Judged* judged = nullptr;
  const Proposal* proposal = nullptr;
};
using Origins = std::unordered_map<std::string_view, Origin>;

Origins origins_of(const History& history, const Branches& branches) {
  Origins origins;
  for (const Judged& entry : history.judged) {
    const bool free = !asks_agent(entry.proposal.kind) && is_correct(entry.verdict.outcome);
    if (free) origins.emplace(entry.candidate.id, Origin{&entry, &entry.proposal});
  }
  for (const Branch& branch : branches.all()) {
    const Judged* correct = branch.correct();
    if (!correct) continue;
    origins.emplace(correct->candidate.id, Origin{correct, branch.attempts.front().proposal});
  }
  return origins;
}

std::string root_of(const Origins& origins, std::string_view candidate_id) {
  for (std::size_t steps = 0; steps < origins.size(); ++steps) {
    const auto found = origins.find(candidate_id);
    if (found == origins.end() || found->second.proposal->parents.empty()) break;
    candidate_id = found->second.proposal->parents.front();
  }
  return std::string(candidate_id);
}

std::vector<std::string> sorted(std::vector<std::string> ids) {
  std::ranges::sort(ids);
  return ids;
}

bool is_free(const Judged& judged) {
  return !asks_agent(judged.proposal.kind);
}

std::vector<const Judged*> fastest(const Origins& origins, int count_max, bool with_free) {
  std::vector<const Judged*> ranked;
  ranked.reserve(origins.size());
  for (const auto& [id, origin] : origins) ranked.push_back(origin.judged);
  std::ranges::sort(ranked, [](const Judged* a, const Judged* b) { return ranks_before(*a, *b); });
  std::vector<const Judged*> chosen;
  int free = with_free ? 1 : 0;
  for (const Judged* judged : ranked) {
    if (static_cast<int>(chosen.size()) == count_max) break;
    if (!is_free(*judged) || free-- > 0) chosen.push_back(judged);
  }
  return chosen;
}

}  // namespace

Elites::Elites(const History& history, const Branches& branches, int count_max, bool with_free) {
  const Origins origins = origins_of(history, branches);
  std::unordered_map<std::string_view, Elite*> by_id;
  const auto chosen = fastest(origins, count_max, with_free);
  elites_.reserve(chosen.size());  // by_id points into it
  for (const Judged* judged : chosen) {
    elites_.push_back({judged, speed_of(*judged), static_cast<int>(elites_.size()), 0, 0,
                       root_of(origins, judged->candidate.id)});
    by_id.emplace(judged->candidate.id, &elites_.back());
  }
  double log_gains = k_prior_log_gain_of_hit;
  int hits = 1;
  for (const Branch& branch : branches.all()) {
    const Proposal& first = *branch.attempts.front().proposal;
    if (first.parents.empty()) continue;
    if (first.kind == Proposal::Kind::cross) crossed_.push_back(sorted(first.parents));
    const auto parent = origins.find(first.parents.front());
    if (parent == origins.end()) continue;
    const Judged* child = branch.correct();
    const double gain = child ? speed_of(*child) / speed_of(*parent->second.judged) : 0;
    const bool hit = gain > k_hit_gain && std::isfinite(gain);
    if (hit) {
      log_gains += std::log(gain);
      ++hits;
    }
    const auto elite = by_id.find(first.parents.front());
    if (elite == by_id.end()) continue;
    ++elite->second->children;
    elite->second->hits += hit ? 1 : 0;
  }
  typical_log_gain_ = log_gains / hits;
}

double Elites::worth(const Elite& elite) const {
  const double gap = std::log(elites_.front().speed / std::max(elite.speed, 1e-9));
  const double hit = (elite.hits + 1.0) / (elite.children + 2.0);
  return hit / (1 + gap / typical_log_gain_);
}

void Elites::count_child(const Elite& elite) {
  ++elites_[static_cast<std::size_t>(elite.rank)].children;
}

const Elite& Elites::take() {
  const Elite& best = *std::ranges::max_element(
      elites_, [this](const Elite& a, const Elite& b) { return worth(a) < worth(b); });
  count_child(best);
  return best;
}

std::vector<const Elite*> Elites::take_pair() {
  for (std::size_t i = 0; i < elites_.size(); ++i) {
    for (std::size_t j = i + 1; j < elites_.size(); ++j) {
      if (elites_[i].root == elites_[j].root) continue;
      const auto pair = sorted({elites_[i].judged->candidate.id, elites_[j].judged->candidate.id});
      if (std::ranges::find(crossed_, pair) != crossed_.end()) continue;
      crossed_.push_back(pair);
      count_child(elites_[i]);
      return {&elites_[i], &elites_[j]};
    }
  }
  return {};
}

}  // namespace cupel::search
