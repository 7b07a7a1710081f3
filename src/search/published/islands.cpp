#include "search/published/islands.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/winning/standing.h"

namespace cupel::search {
namespace {

constexpr int k_bins = 10;
constexpr double k_shortest_bytes = 512;

bool is_ahead(const Member& left, const Member& right) {
  return ranks_before(*left.judged, *right.judged);
}

double mean_distance(const std::vector<Member>& members, const Sketch& sketch) {
  if (members.empty()) return 0;
  double sum = 0;
  for (const Member& member : members) sum += distance(member.sketch, sketch);
  return sum / static_cast<double>(members.size());
}

bool shares_cell(const Member& left, const Member& right) {
  return left.island == right.island && left.length_bin == right.length_bin &&
         left.diversity_bin == right.diversity_bin;
}

const Member* any_of(const std::vector<const Member*>& members, Rng& rng) {
  return members.empty() ? nullptr : members[rng.below(members.size())];
}

std::vector<const Member*> pointers(const std::vector<Member>& members) {
  std::vector<const Member*> all;
  for (const Member& member : members) all.push_back(&member);
  return all;
}

// Of the archive, what comes from the island; all of it where nothing does.
std::vector<const Member*> archive_for(const Islands& islands, int island) {
  std::vector<const Member*> local;
  for (const Member& member : islands.archive()) {
    if (member.island == island) local.push_back(&member);
  }
  return local.empty() ? pointers(islands.archive()) : local;
}

}  // namespace

int length_bin(std::size_t bytes) {
  const double octaves =
      std::log2(static_cast<double>(std::max<std::size_t>(bytes, 1)) / k_shortest_bytes);
  return std::clamp(static_cast<int>(std::floor(2 * octaves)) + 1, 0, k_bins - 1);
}

int diversity_bin(double mean_distance) {
  return std::clamp(static_cast<int>(mean_distance * k_bins), 0, k_bins - 1);
}

Islands::Islands(const IslandSizes& sizes)
    : sizes_(sizes), children_(static_cast<std::size_t>(sizes.islands), 0) {}

void Islands::count_child(int island) {
  int& children = children_[static_cast<std::size_t>(island)];
  if (++children % sizes_.migration_interval == 0 && sizes_.islands > 1) migrate(island);
}

void Islands::add(const Judged& judged, int island) {
  Member member{&judged, speed_of(judged), island, 0, 0, sketch_of(judged.candidate.source)};
  member.length_bin = length_bin(judged.candidate.source.size());
  member.diversity_bin = diversity_bin(mean_distance(members_, member.sketch));
  remember(member);
  settle(std::move(member));
}

void Islands::settle(Member member) {
  const auto holder = std::ranges::find_if(
      members_, [&](const Member& other) { return shares_cell(member, other); });
  if (holder == members_.end()) {
    members_.push_back(std::move(member));
    shrink();
  } else if (is_ahead(member, *holder)) {
    *holder = std::move(member);
  }
}

void Islands::shrink() {
  if (static_cast<int>(members_.size()) <= sizes_.population) return;
  members_.erase(std::ranges::max_element(members_, is_ahead));
}

void Islands::remember(const Member& member) {
  archive_.insert(std::ranges::upper_bound(archive_, member, is_ahead), member);
  if (static_cast<int>(archive_.size()) > sizes_.archive) archive_.pop_back();
}

void Islands::migrate(int island) {
  std::vector<Member> leaving;
  const auto local = on_island(island);
  const auto share = std::ceil(sizes_.migration_rate * static_cast<double>(local.size()));
  for (std::size_t i = 0; i < static_cast<std::size_t>(share); ++i) leaving.push_back(*local[i]);
  for (Member& member : leaving) {
    member.island = (island + 1) % sizes_.islands;
    settle(std::move(member));
  }
}

std::vector<const Member*> Islands::on_island(int island) const {
  std::vector<const Member*> local;
  for (const Member& member : members_) {
    if (member.island == island) local.push_back(&member);
  }
  std::ranges::sort(local, [](const Member* a, const Member* b) { return is_ahead(*a, *b); });
  return local;
}

Selection select(const Islands& islands, int island, const SelectionRatios& ratios, Rng& rng) {
  const auto local = islands.on_island(island);
  const double draw = rng.uniform();
  if (local.empty()) return {nullptr, "starts"};
  if (draw < ratios.explore) return {any_of(local, rng), "explores"};
  if (draw < ratios.explore + ratios.exploit) {
    return {any_of(archive_for(islands, island), rng), "exploits"};
  }
  return {any_of(pointers(islands.members()), rng), "at random"};
}

}  // namespace cupel::search
