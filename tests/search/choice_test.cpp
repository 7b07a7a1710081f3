#include "search/winning/choice.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "base/rng.h"

namespace cupel::search {
namespace {

constexpr double k_half_width = 0.01;

Ratio ratio_to(const std::string& over_id, double ratio) {
  return {over_id,   over_id, ratio, ratio * (1 - k_half_width), ratio * (1 + k_half_width),
          1 / ratio, 1,       100};
}

Judged judged_as(int number, Proposal::Kind kind, Outcome outcome, double ratio) {
  Judged judged;
  judged.proposal.id = "p" + std::string(number < 10 ? "000" : "00") + std::to_string(number);
  judged.proposal.kind = kind;
  judged.candidate = {"id" + std::to_string(number), "label " + std::to_string(number), ""};
  judged.verdict.outcome = outcome;
  judged.verdict.ratios = {ratio_to("eager", ratio)};
  return judged;
}

constexpr auto k_seed = Proposal::Kind::seed;
constexpr auto k_file = Proposal::Kind::file;

std::string fastest_of(const std::vector<Judged>& judged,
                       const std::set<std::string>& struck = {}) {
  const Choice choice = choose(judged, struck);
  return choice.fastest ? choice.fastest->candidate.id : "";
}

std::string best_free_of(const std::vector<Judged>& judged) {
  const Choice choice = choose(judged, {});
  return choice.best_free ? choice.best_free->candidate.id : "";
}

TEST(Choose, TakesTheFastestAndTheFastestSeed) {
  const std::vector<Judged> judged{judged_as(1, k_file, Outcome::faster, 1.8),
                                   judged_as(2, k_seed, Outcome::faster, 1.3),
                                   judged_as(3, k_seed, Outcome::faster, 1.5)};
  EXPECT_EQ(fastest_of(judged), "id1");
  EXPECT_EQ(best_free_of(judged), "id3");
}

TEST(Choose, OnlyWhatIsFasterCounts) {
  const std::vector<Judged> judged{
      judged_as(1, k_file, Outcome::suspect, 9), judged_as(2, k_seed, Outcome::wrong, 8),
      judged_as(3, k_seed, Outcome::ambiguous, 1.2), judged_as(4, k_file, Outcome::slower, 0.5)};
  EXPECT_EQ(fastest_of(judged), "");
  EXPECT_EQ(best_free_of(judged), "");
  EXPECT_EQ(choose({}, {}).fastest, nullptr);
}

TEST(Choose, PassesOverWhatWasStruck) {
  const std::vector<Judged> judged{judged_as(1, k_file, Outcome::faster, 1.8),
                                   judged_as(2, k_seed, Outcome::faster, 1.3)};
  EXPECT_EQ(fastest_of(judged, {"id1"}), "id2");
  EXPECT_EQ(fastest_of(judged, {"id1", "id2"}), "");
}

TEST(Choose, IsTheSameInAnyOrderOfTheVerdicts) {
  EXPECT_TRUE(rc::check("ties go to the earlier proposal", [] {
    const auto steps =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 4)));
    std::vector<Judged> judged;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      judged.push_back(judged_as(static_cast<int>(i), i % 2 ? k_seed : k_file, Outcome::faster,
                                 1.5 + steps[i] * 0.25));
    }
    const std::string fastest = fastest_of(judged);
    const std::string best_free = best_free_of(judged);
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    rng.shuffle(judged);
    RC_ASSERT(fastest_of(judged) == fastest);
    RC_ASSERT(best_free_of(judged) == best_free);
  }));
}

// A table of programs that all outcomes and ratios of follow from `times_ms` (eager: 1 ms).
FinalTable table_of(const std::vector<std::pair<std::string, double>>& times_ms) {
  FinalTable table{{{"eager", "eager", "eager", {}}}};
  for (const auto& [id, time_ms] : times_ms) {
    Verdict verdict;
    verdict.ratios = {ratio_to("eager", 1 / time_ms)};
    const Ratio& first = verdict.ratios[0];
    verdict.outcome = first.low > 1    ? Outcome::faster
                      : first.high < 1 ? Outcome::slower
                                       : Outcome::same;
    for (const auto& [other, other_ms] : times_ms) {
      if (other != id) verdict.ratios.push_back(ratio_to(other, other_ms / time_ms));
    }
    table.rows.push_back({"", id, id, verdict});
  }
  return table;
}

TEST(Settle, AClearWinnerWins) {
  const Settlement settled = settle(table_of({{"mine", 0.5}, {"free", 0.8}}), "mine", "free");
  EXPECT_EQ(settled.winner_id, "mine");
  EXPECT_NE(settled.why.find("2.000x"), std::string::npos) << settled.why;
  EXPECT_NE(settled.why.find("1.600x"), std::string::npos) << settled.why;
}

TEST(Settle, WhatAFreeVariantGivesIsNoGain) {
  const FinalTable table = table_of({{"mine", 0.795}, {"free", 0.8}});
  EXPECT_EQ(settle(table, "mine", "free").winner_id, "free");
}

TEST(Settle, AFreeVariantMayBeTheFastest) {
  const FinalTable table = table_of({{"free", 0.8}});
  EXPECT_EQ(settle(table, "free", "free").winner_id, "free");
}

TEST(Settle, WithoutAFreeVariantEagerIsTheMeasure) {
  EXPECT_EQ(settle(table_of({{"mine", 0.9}}), "mine", "").winner_id, "mine");
}

TEST(Settle, AGainThatDidNotLastIsNone) {
  EXPECT_EQ(settle(table_of({{"mine", 1.0}, {"free", 0.9}}), "mine", "free").winner_id, "free");
  const Settlement nobody = settle(table_of({{"mine", 1.0}, {"free", 1.0}}), "mine", "free");
  EXPECT_EQ(nobody.winner_id, "");
  EXPECT_NE(nobody.why.find("did not last"), std::string::npos);
}

TEST(Settle, NobodyFasterNoWinner) {
  const Settlement settled = settle(table_of({}), "", "");
  EXPECT_EQ(settled.winner_id, "");
  EXPECT_EQ(settled.why, "nothing is faster than eager");
}

TEST(Settle, AFailedWinnerDoesNotWin) {
  FinalTable table = table_of({{"mine", 0.5}, {"free", 0.8}});
  table.rows[1].verdict.outcome = Outcome::wrong;
  EXPECT_EQ(settle(table, "mine", "free").winner_id, "free");
  EXPECT_EQ(failed_in(table), (std::set<std::string>{"mine"}));
}

TEST(Settle, KeepsTheInvariantOnAnyTimes) {
  EXPECT_TRUE(rc::check("a winner is surely faster than eager and than the best free variant", [] {
    const double mine_ms = *rc::gen::inRange(50, 150) / 100.0;
    const double free_ms = *rc::gen::inRange(50, 150) / 100.0;
    const FinalTable table = table_of({{"mine", mine_ms}, {"free", free_ms}});
    const std::string best_free = best_free_in(table, std::vector<std::string>{"free"});
    const std::string winner = settle(table, "mine", best_free).winner_id;
    if (winner == "mine") {
      RC_ASSERT(mine_ms < 1);
      RC_ASSERT(best_free.empty() || mine_ms < free_ms);
    }
    if (winner.empty()) RC_ASSERT(free_ms > 0.98);
  }));
}

TEST(BestFreeIn, IsSaidByTheRound) {
  const FinalTable table = table_of({{"a", 0.9}, {"b", 0.7}, {"c", 1.1}});
  EXPECT_EQ(best_free_in(table, std::vector<std::string>{"a", "b"}), "b");
  EXPECT_EQ(best_free_in(table, std::vector<std::string>{"c", "unknown"}), "");
}

TEST(RatioOver, FindsAnotherProgram) {
  const FinalTable table = table_of({{"a", 0.5}, {"b", 1.0}});
  EXPECT_DOUBLE_EQ(ratio_over(table.rows[1].verdict, "b")->ratio, 2.0);
  EXPECT_FALSE(ratio_over(table.rows[1].verdict, "z"));
}

}  // namespace
}  // namespace cupel::search
