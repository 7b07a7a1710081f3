// The whole loop of a judgement, round after round until it is decided, over programs whose ratio
// is known. What differs between processes is drawn from what was seen of machines, 0.7 to 2 per
// cent, and not from what the intervals assume.
#include <gtest/gtest.h>

#include "judge/synthetic_loop.h"

namespace cupel::judge {
namespace {

using synthetic::Loops;
using synthetic::loops_of;

constexpr int k_loops = 500;
constexpr synthetic::ProcessNoise k_as_seen{0.007, 0.02};

TEST(RepeatLoop, EqualProgramsAreHardlyEverFaster) {
  const Loops loops = loops_of(1.0, k_as_seen, k_loops, 1);
  EXPECT_LE(loops.count(Outcome::faster), k_loops / 100);
  EXPECT_LE(loops.count(Outcome::slower), k_loops / 100);
  EXPECT_EQ(loops.count(Outcome::suspect), 0);
  EXPECT_GE(loops.count(Outcome::same), k_loops * 7 / 10);
}

// Where processes differ most, the false rate is the hard one of both.
TEST(RepeatLoop, NorAreTheyWhereProcessesDifferByTwoPerCent) {
  EXPECT_LE(loops_of(1.0, {0.02, 0.02}, k_loops, 2).count(Outcome::faster), k_loops / 50);
}

TEST(RepeatLoop, AGainOfThreePerCentIsFound) {
  EXPECT_GE(loops_of(1.03, k_as_seen, k_loops, 3).count(Outcome::faster), k_loops * 9 / 10);
}

TEST(RepeatLoop, ALossOfThreePerCentIsFound) {
  EXPECT_GE(loops_of(0.97, k_as_seen, k_loops, 4).count(Outcome::slower), k_loops * 9 / 10);
}

// A clear case is not measured again.
TEST(RepeatLoop, AGainOfAThirdTakesOneRound) {
  const Loops loops = loops_of(1.33, k_as_seen, 100, 5);
  EXPECT_EQ(loops.count(Outcome::faster), 100);
  EXPECT_EQ(loops.rounds, 100);
}

}  // namespace
}  // namespace cupel::judge
