#include "search/history/elites.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "search/winning/standing.h"

namespace cupel::search {
namespace {

// A hit's gain before the run has shown any; counts as one.
constexpr double k_prior_log_gain_of_hit = 0.15;
// Programs whose gains one merge is asked for, at most: a prompt has to hold them.
constexpr std::size_t k_merged_max = 3;

// Children in vain that are supposed before there are any: of a free program, which a compiler has
// made as fast as it can, and of grafts, which have to bring two ways of doing things together.
// Both are tried when what is tried before them fails.
constexpr int k_doubts_of_free = 12;
constexpr int k_doubts_of_grafts = 12;

bool is_faster(const Kin& left, const Kin& right) {
  return ranks_before(*left.judged, *right.judged);
}

// What a branch came to. A branch that is still mended counts as fruitless meanwhile.
double log_gain_of(const Branch& branch, const Kin& parent) {
  const Judged* const child = branch.correct();
  if (!child || speed_of(*child) <= 0) return 0;
  return std::log(speed_of(*child)) - parent.log_speed;
}

}  // namespace

Elites::Elites(const Branches& branches, const Lineage& lineage, int lines_max, bool with_free)
    : lineage_(lineage), lines_(lineage.all().size()) {
  grafts_.children = k_doubts_of_grafts;
  choose(lines_max, with_free);
  count_asked(branches);
}

void Elites::choose(int lines_max, bool with_free) {
  const auto all = lineage_.all();
  std::map<std::size_t, std::size_t> fastest;  // by line
  for (std::size_t place = 0; place < all.size(); ++place) {
    const bool free_line = is_free(all[all[place].line].judged->proposal);
    if (free_line && !with_free) continue;
    const auto [entry, is_new] = fastest.emplace(all[place].line, place);
    if (!is_new && is_faster(all[place], all[entry->second])) entry->second = place;
  }
  for (const auto& [line, place] : fastest) {
    elites_.push_back({place, all[place].judged, speed_of(*all[place].judged)});
  }
  std::ranges::sort(elites_, [](const Elite& left, const Elite& right) {
    return ranks_before(*left.judged, *right.judged);
  });
  if (elites_.size() > static_cast<std::size_t>(lines_max)) {
    elites_.resize(static_cast<std::size_t>(lines_max));
  }
  for (std::size_t i = 0; i < elites_.size(); ++i) elites_[i].rank = static_cast<int>(i);
}

void Elites::count_asked(const Branches& branches) {
  for (const Branch& branch : branches.all()) {
    const auto& parents = branch.attempts.front().proposal->parents;
    if (parents.empty()) continue;
    if (const auto parent = lineage_.find(parents.front())) count_child(branch, *parent);
  }
  Record all{0, 1, k_prior_log_gain_of_hit};
  const auto add = [&all](const Record& record) {
    all.hits += record.hits;
    all.log_gains += record.log_gains;
  };
  std::ranges::for_each(lines_, add);
  add(merges_);
  add(grafts_);
  typical_log_gain_ = all.log_gains / all.hits;
}

void Elites::count_child(const Branch& branch, std::size_t parent) {
  const Kin& kin = lineage_.all()[parent];
  const Proposal& first = *branch.attempts.front().proposal;
  const double gain = log_gain_of(branch, kin);
  const bool hit = gain > std::log(k_hit_gain);
  Record* record = &lines_[kin.line];
  if (first.kind == Proposal::Kind::cross) {
    record = &merges_;
    for (const std::string& id : first.parents) {
      const auto other = lineage_.find(id);
      if (!other || *other == parent) continue;
      note_crossed(parent, *other);
      if (lineage_.all()[*other].line != kin.line) record = &grafts_;
    }
  } else {
    const auto elite = std::ranges::find(elites_, parent, &Elite::place);
    if (elite != elites_.end()) {
      ++elite->children;
      elite->hits += hit ? 1 : 0;
      elite->vain += branch.correct() && !hit ? 1 : 0;
    }
  }
  ++record->children;
  record->hits += hit ? 1 : 0;
  record->log_gains += hit ? gain : 0;
}

bool Elites::is_crossed(std::size_t one, std::size_t other) const {
  return crossed_.contains(std::minmax(one, other));
}

void Elites::note_crossed(std::size_t one, std::size_t other) {
  crossed_.insert(std::minmax(one, other));
}

// Programs written from the task climb while a compiler's stays where it is, so what is free is no
// leader to trail: its line has a place among equals.
double Elites::trailing(const Elite& elite) const {
  const auto all = lineage_.all();
  const auto leader = std::ranges::find_if_not(elites_, [&](const Elite& each) {
    return is_free(all[all[each.place].line].judged->proposal);
  });
  if (leader == elites_.end()) return 1;
  const double gap = all[leader->place].log_speed - all[elite.place].log_speed;
  return 1 + std::max(0.0, gap) / typical_log_gain_;
}

Pick Elites::improvement(const Elite& elite) const {
  const Record& line = lines_[lineage_.all()[elite.place].line];
  const int doubts = is_free(elite.judged->proposal) ? k_doubts_of_free : 0;
  const double chance = (elite.hits + 1.0) / (elite.children + doubts + 2.0);
  return {Move::improve, &elite, {}, chance * line.size(typical_log_gain_) / trailing(elite)};
}

// Children of one parent that were written side by side each gained something of their own; only
// the fastest has become the elite.
Pick Elites::merge(const Elite& elite) const {
  const auto all = lineage_.all();
  const auto behind = lineage_.ancestry(elite.place);
  std::vector<std::size_t> others;
  for (std::size_t place = 0; place < all.size(); ++place) {
    const bool apart = all[place].line == all[elite.place].line && !behind[place];
    if (apart && all[place].is_hit() && !is_crossed(place, elite.place)) others.push_back(place);
  }
  if (others.empty()) return {};
  std::ranges::sort(others, [&](std::size_t a, std::size_t b) {
    return std::tuple(-all[a].log_gain, a) < std::tuple(-all[b].log_gain, b);
  });
  if (others.size() > k_merged_max) others.resize(k_merged_max);
  Pick pick{
      Move::merge, &elite, {}, merges_.chance() * all[others.front()].log_gain / trailing(elite)};
  for (const std::size_t place : others) pick.others.push_back(all[place].judged);
  return pick;
}

Pick Elites::graft(const Elite& elite) const {
  const auto other = std::ranges::find_if(elites_, [&](const Elite& each) {
    return each.place != elite.place && !is_crossed(each.place, elite.place);
  });
  if (other == elites_.end()) return {};
  return {
      Move::graft, &elite, {other->judged}, grafts_.chance() * typical_log_gain_ / trailing(elite)};
}

void Elites::count(const Pick& pick) {
  const std::size_t place = pick.elite->place;
  for (const Judged* other : pick.others) note_crossed(place, *lineage_.find(other->candidate.id));
  if (pick.move == Move::merge) ++merges_.children;
  if (pick.move == Move::graft) ++grafts_.children;
  if (pick.move == Move::improve) ++elites_[static_cast<std::size_t>(pick.elite->rank)].children;
}

Pick Elites::take(bool with_crossing) {
  Pick best;
  const auto consider = [&best](Pick pick) {
    if (pick.elite && (!best.elite || pick.worth > best.worth)) best = std::move(pick);
  };
  for (const Elite& elite : elites_) {
    consider(improvement(elite));
    if (!with_crossing) continue;
    consider(merge(elite));
    if (elite.rank == 0) consider(graft(elite));
  }
  count(best);
  return best;
}

}  // namespace cupel::search
