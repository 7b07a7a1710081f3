// What descends from what: every correct program of a run, its parents, its line. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "search/history/branches.h"
#include "search/step/strategy.h"

namespace cupel::search {

// A child counts as a hit from this ratio over its parent on: below is noise.
inline constexpr double k_hit_gain = 1.01;

// One correct program.
struct Kin {
  const Judged* judged = nullptr;
  const Proposal* origin = nullptr;  // what its branch began with: a fix's parent is what it mends
  double log_speed = 0;
  std::vector<std::size_t> parents = {};  // the origin's that are correct programs of this run
  // The program that its line of first parents began with. All free programs are one line: they
  // are often the same compiler under several names.
  std::size_t line = 0;
  double log_gain = 0;  // over its first parent; 0 where it has none

  bool is_hit() const;
};

// Programs in the order of their verdicts, and named by their place in it. Refers to the history.
class Lineage {
 public:
  Lineage(const History& history, const Branches& branches);

  std::span<const Kin> all() const { return kin_; }
  std::optional<std::size_t> find(std::string_view candidate_id) const;
  // True at the place of `program` and of all that stands behind it, by whatever parents.
  std::vector<bool> ancestry(std::size_t program) const;

 private:
  void add(const Judged& judged, const Proposal& origin);

  std::vector<Kin> kin_;
  std::unordered_map<std::string_view, std::size_t> by_id_;
  std::optional<std::size_t> first_free_;
};

}  // namespace cupel::search
