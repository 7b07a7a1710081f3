#include "search/published/islands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <string>

namespace cupel::search {
namespace {

// Programs that outlive the islands. Long sources of lines of their own fall into cells of their
// own only by chance, so lengths are given.
class Programs {
 public:
  const Judged& make(double speed, std::size_t bytes = 1000) {
    Judged& judged = all_.emplace_back();
    const std::string number = std::to_string(all_.size());
    judged.proposal.id = "p" + std::string(6 - number.size(), '0') + number;
    judged.verdict.outcome = Outcome::faster;
    judged.verdict.ratios = {{"eager", "eager", speed, speed, speed, 1 / speed, 1, 100}};
    judged.candidate = make_candidate(source(number, bytes), "");
    return judged;
  }

 private:
  static std::string source(const std::string& number, std::size_t bytes) {
    std::string text;
    for (int line = 0; text.size() < bytes; ++line) {
      text += "line " + std::to_string(line) + " of " + number + "\n";
    }
    return text;
  }

  std::deque<Judged> all_;
};

TEST(Bins, AreHalfOctavesAndTenths) {
  EXPECT_EQ(length_bin(0), 0);
  EXPECT_EQ(length_bin(511), 0);
  EXPECT_EQ(length_bin(512), 1);
  EXPECT_EQ(length_bin(1023), 2);
  EXPECT_EQ(length_bin(1024), 3);
  EXPECT_EQ(length_bin(1'000'000), 9);
  EXPECT_EQ(diversity_bin(0), 0);
  EXPECT_EQ(diversity_bin(0.95), 9);
  EXPECT_EQ(diversity_bin(1), 9);
}

TEST(Islands, ACellKeepsItsFastest) {
  Programs programs;
  Islands islands({});
  const Judged& first = programs.make(2);
  islands.add(first, 0);
  for (const double speed : {1.5, 1.2, 3.0, 2.5}) islands.add(programs.make(speed), 0);
  // The first was compared with nobody, so it is alone in its cell of no diversity; the others
  // have no line in common with anybody.
  ASSERT_EQ(islands.members().size(), 2u);
  EXPECT_EQ(islands.members()[0].judged, &first);
  EXPECT_EQ(islands.members()[1].speed, 3.0);
}

TEST(Islands, PopulationAndArchiveAreBounded) {
  Programs programs;
  Islands islands({});
  Rng rng(3);
  for (int i = 0; i < 2000; ++i) {
    const auto bytes = static_cast<std::size_t>(200 * std::exp2(6 * rng.uniform()));
    islands.add(programs.make(1 + rng.uniform(), bytes), static_cast<int>(rng.below(3)));
    EXPECT_LE(islands.members().size(), 25u);
    EXPECT_LE(islands.archive().size(), 12u);
  }
  EXPECT_EQ(islands.archive().size(), 12u);
  EXPECT_GE(islands.members().size(), 20u) << "cells enough to fill it";
}

TEST(Islands, TheArchiveHoldsTheFastestEver) {
  Programs programs;
  Islands islands({});
  std::vector<double> speeds;
  Rng rng(5);
  for (int i = 0; i < 300; ++i) {
    speeds.push_back(1 + rng.uniform());
    islands.add(programs.make(speeds.back()), i % 3);
  }
  std::ranges::sort(speeds, std::greater<>());
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(islands.archive()[i].speed, speeds[i]);
}

TEST(Islands, MigrateInARing) {
  Programs programs;
  Islands islands({});
  islands.add(programs.make(2), 2);
  for (int i = 0; i < 49; ++i) islands.count_child(2);
  EXPECT_TRUE(islands.on_island(0).empty());
  islands.count_child(2);
  ASSERT_EQ(islands.on_island(0).size(), 1u);
  EXPECT_EQ(islands.on_island(0)[0]->speed, 2);
  EXPECT_EQ(islands.on_island(2).size(), 1u) << "a copy goes, the program stays";
  EXPECT_TRUE(islands.on_island(1).empty());
}

TEST(Islands, ASingleOneHasNowhereToMigrate) {
  Programs programs;
  IslandSizes sizes;
  sizes.islands = 1;
  Islands islands(sizes);
  islands.add(programs.make(2), 0);
  for (int i = 0; i < 200; ++i) islands.count_child(0);
  EXPECT_EQ(islands.members().size(), 1u);
}

TEST(Select, AnEmptyIslandStartsFromTheOriginal) {
  Programs programs;
  Islands islands({});
  islands.add(programs.make(2), 1);
  Rng rng(1);
  EXPECT_EQ(select(islands, 0, {}, rng).parent, nullptr);
  EXPECT_NE(select(islands, 1, {}, rng).parent, nullptr);
}

// Shares of a binomial draw: five standard errors of a share p over n draws.
double tolerance(double p, int n) {
  return 5 * std::sqrt(p * (1 - p) / n);
}

TEST(Select, ExploresExploitsAndDrawsAsOftenAsItShould) {
  Programs programs;
  Islands islands({});
  for (int i = 0; i < 30; ++i) {
    islands.add(programs.make(1 + i, static_cast<std::size_t>(256 << (i % 6))), i % 3);
  }
  constexpr int k_draws = 20000;
  std::map<std::string_view, int> counts;
  Rng rng(11);
  for (int i = 0; i < k_draws; ++i) {
    const Selection selection = select(islands, 1, {}, rng);
    ASSERT_NE(selection.parent, nullptr);
    if (selection.mode == "explores") {
      EXPECT_EQ(selection.parent->island, 1);
    }
    ++counts[selection.mode];
  }
  const auto share = [&](const char* mode) { return counts[mode] / double{k_draws}; };
  EXPECT_NEAR(share("explores"), 0.2, tolerance(0.2, k_draws));
  EXPECT_NEAR(share("exploits"), 0.7, tolerance(0.7, k_draws));
  EXPECT_NEAR(share("at random"), 0.1, tolerance(0.1, k_draws));
}

TEST(Select, ExploitsTheArchiveOfItsOwnIslandWhereThereIsOne) {
  Programs programs;
  Islands islands({});
  for (int i = 0; i < 12; ++i) islands.add(programs.make(10 + i), 0);
  const Judged& mine = programs.make(1);
  islands.add(mine, 1);
  Rng rng(13);
  bool from_elsewhere = false;
  for (int i = 0; i < 200; ++i) {
    const Selection selection = select(islands, 1, {0, 1}, rng);
    EXPECT_EQ(selection.mode, "exploits");
    from_elsewhere |= selection.parent->island == 0;
  }
  EXPECT_TRUE(from_elsewhere) << "the archive holds nothing of island 1";
  const Judged& best = programs.make(99);
  islands.add(best, 1);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(select(islands, 1, {0, 1}, rng).parent->judged, &best);
  }
}

}  // namespace
}  // namespace cupel::search
