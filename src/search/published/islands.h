// Islands of MAP-Elites: the library of PIKE-O, rebuilt from a history. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "base/rng.h"
#include "model/run.h"
#include "search/published/sketch.h"

namespace cupel::search {

struct IslandSizes {
  int islands = 3;
  int population = 25;  // members of all islands together
  int archive = 12;     // the fastest programs ever, for exploitation
  // Ring migration as OpenEvolve has it by default: after every 50 children of an island, a tenth
  // of it (at least one), the fastest, is copied to the next island. Within 300 queries that
  // happens once or twice, so that islands are nearly apart; the paper's gain from a single
  // island (2.17x to 2.75x) is what that costs.
  int migration_interval = 50;
  double migration_rate = 0.1;
};

// Chances of the three ways to choose a parent; what is left of 1 is `random`.
struct SelectionRatios {
  double explore = 0.2;  // any member of the island
  double exploit = 0.7;  // of the archive, where it can be from this island
};

struct Member {
  const Judged* judged = nullptr;
  double speed = 0;
  int island = 0;
  int length_bin = 0;
  int diversity_bin = 0;
  Sketch sketch;
};

// A library whose members come in the order of verdicts. An island keeps the fastest program of
// each cell over (code length, diversity); where the population is full the slowest leaves.
class Islands {
 public:
  explicit Islands(const IslandSizes& sizes);

  // A child of an island got its verdict, whatever it is: migration is due by their number.
  void count_child(int island);
  // A correct program, which must outlive this.
  void add(const Judged& judged, int island);

  const std::vector<Member>& members() const { return members_; }
  const std::vector<Member>& archive() const { return archive_; }  // fastest first
  std::vector<const Member*> on_island(int island) const;          // fastest first

 private:
  void settle(Member member);
  void shrink();
  void remember(const Member& member);
  void migrate(int island);

  IslandSizes sizes_;
  std::vector<Member> members_;
  std::vector<Member> archive_;
  std::vector<int> children_;
};

// 10 bins: half-octaves of the source's length in bytes, from 512 up.
int length_bin(std::size_t bytes);
// 10 bins of the mean distance to the members of the time.
int diversity_bin(double mean_distance);

struct Selection {
  const Member* parent = nullptr;  // null: the original program, on an island without members
  std::string_view mode;           // "explores", "exploits", "at random"
};
Selection select(const Islands& islands, int island, const SelectionRatios& ratios, Rng& rng);

}  // namespace cupel::search
