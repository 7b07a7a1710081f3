// Which program wins. Pure functions: the same verdicts give the same winner.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "model/run.h"

namespace cupel::search {

// Roles of a final table's rows.
namespace role {
inline constexpr std::string_view k_eager = "eager";
inline constexpr std::string_view k_compile = "torch.compile";
inline constexpr std::string_view k_best_free = "best free variant";
inline constexpr std::string_view k_winner = k_winner_role;
// The fastest program of the search, where it turned out not to win.
inline constexpr std::string_view k_runner_up = "runner-up";
}  // namespace role

// What goes into the final round. Pointers into the judged programs; null: there is none.
struct Choice {
  const Judged* fastest = nullptr;    // of all that were judged `faster`
  const Judged* best_free = nullptr;  // of the seeds among them; null: eager itself is the best
};

// Fastest means the highest estimate of the ratio over eager; equal ones in the order of
// proposal ids. Candidates in `struck` failed in a final round and are passed over.
Choice choose(std::span<const Judged> judged, const std::set<std::string>& struck);

// The candidates of the table that did not compute the same thing, or broke, in its round.
std::set<std::string> failed_in(const FinalTable& table);

// Of `free_ids`, the one that is `faster` than eager in the table by the highest ratio; empty if
// none is. The round, not the search, says which free variant is the best.
std::string best_free_in(const FinalTable& table, std::span<const std::string> free_ids);

struct Settlement {
  std::string winner_id;  // empty: nothing is faster than eager
  std::string why;        // one sentence with the numbers
};

// Settles on the final round's verdicts alone. `fastest_id` wins if it is `faster` than eager
// there and, unless it is the best free variant itself, its gain over the best free variant is
// proven as one over eager would have to be. Else the best free variant wins if it is `faster` than
// eager. Either id may be empty.
Settlement settle(const FinalTable& table, std::string_view fastest_id,
                  std::string_view best_free_id);

// The row's ratio over another candidate of the round, if there is one.
std::optional<Ratio> ratio_over(const Verdict& verdict, std::string_view other_id);

}  // namespace cupel::search
