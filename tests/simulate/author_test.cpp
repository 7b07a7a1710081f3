#include "simulate/author.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "search/drafting/tuning.h"
#include "simulate/verdicts.h"

namespace cupel::simulate {
namespace {

const Landscape& task() {
  static const Landscape landscape({}, 5);
  return landscape;
}

Author author() {
  return Author(task(), {});
}

int ideas_in(const Program& program) {
  return static_cast<int>(
      std::ranges::count_if(program.quality, [](double quality) { return quality > 0; }));
}

TEST(Author, NamesOfIdeasAreReadBack) {
  const auto name = idea_of(text_of({3, 4}), task());
  ASSERT_TRUE(name);
  EXPECT_EQ(name->approach, 3U);
  EXPECT_EQ(name->idea, 4U);
  EXPECT_FALSE(idea_of("fuse the two kernels", task()));
  EXPECT_FALSE(idea_of(text_of({99, 0}), task()));
  EXPECT_FALSE(idea_of(text_of({0, 99}), task()));
}

TEST(Author, WritesTheIdeaThatItIsTold) {
  Rng rng(1);
  const Attempt attempt = author().write(text_of({2, 3}), Tier::strong, rng);
  EXPECT_EQ(attempt.program.approach, 2);
  EXPECT_GT(attempt.program.quality[3], 0);
  EXPECT_EQ(ideas_in(attempt.program), 1);
  EXPECT_EQ(attempt.failure, task().approaches()[2].ideas[3].failure);
}

TEST(Author, ACheapModelFailsMoreOften) {
  Rng rng(1);
  const std::string told = text_of({2, 3});
  const double strong = author().write(told, Tier::strong, rng).failure;
  EXPECT_GT(author().write(told, Tier::cheap, rng).failure, strong);
}

TEST(Author, AnImprovementChangesOneIdeaAndStaysWithItsApproach) {
  Rng rng(2);
  const Program parent = author().write(text_of({1, 0}), Tier::strong, rng).program;
  const Program* const parents[] = {&parent};
  for (int i = 0; i < 50; ++i) {
    const Program child = author().improve(parents, text_of({4, 4}), Tier::strong, rng).program;
    EXPECT_EQ(child.approach, 1);
    int changed = 0;
    for (std::size_t k = 0; k < child.quality.size(); ++k) {
      changed += child.quality[k] != parent.quality[k] ? 1 : 0;
    }
    EXPECT_EQ(changed, 1);
  }
}

TEST(Author, FurtherParentsGiveWhatTheyDoBetter) {
  Rng rng(3);
  AuthorParameters parameters;
  parameters.borrow = 1;
  Program one = task().blank(0);
  Program other = task().blank(0);
  one.quality[1] = 0.9;
  one.quality[2] = 0.1;
  other.quality[2] = 0.8;
  other.quality[3] = 0.4;
  const Program* const parents[] = {&one, &other};
  const Attempt child = Author(task(), parameters).improve(parents, "", Tier::strong, rng);
  EXPECT_EQ(child.program.quality[1], 0.9);
  EXPECT_EQ(child.program.quality[2], 0.8);
  EXPECT_EQ(child.program.quality[3], 0.4);
  const auto& ideas = task().approaches()[0].ideas;
  EXPECT_EQ(child.failure, std::max(ideas[2].failure, ideas[3].failure));
}

TEST(Author, ParentsOfAnotherApproachGiveNothing) {
  Rng rng(4);
  Program one = task().blank(0);
  one.quality[1] = 0.9;
  Program other = task().blank(1);
  other.quality[3] = 0.4;
  const Program* const parents[] = {&one, &other};
  for (int i = 0; i < 20; ++i) {
    const Attempt child = author().improve(parents, "", Tier::strong, rng);
    EXPECT_EQ(child.program.approach, 0);
    EXPECT_NE(child.program.quality[3], 0.4);
    EXPECT_GT(child.failure, 0);
  }
}

TEST(Author, FiveRoundsOfFixingMendTheSharePublished) {
  Rng rng(5);
  const auto share = [&](Tier tier) {
    constexpr int k_candidates = 20000;
    int mended = 0;
    for (int i = 0; i < k_candidates; ++i) {
      int round = 0;
      while (round < 5 && !author().mends(tier, rng)) ++round;
      mended += round < 5 ? 1 : 0;
    }
    return static_cast<double>(mended) / k_candidates;
  };
  EXPECT_NEAR(share(Tier::strong), 0.79, 0.01);
  EXPECT_NEAR(share(Tier::cheap), 0.71, 0.01);
}

TEST(Author, ACheapModelCarriesOutLess) {
  Rng strong(1);
  Rng cheap(1);
  const std::string told = text_of({2, 3});
  const Program one = author().write(told, Tier::strong, strong).program;
  const Program other = author().write(told, Tier::cheap, cheap).program;
  EXPECT_DOUBLE_EQ(other.quality[3], 0.7 * one.quality[3]);
}

// Each of the other choices is found by its text, moves the quality by at most half of what there
// is to gain or to lose, and leads back.
TEST(Author, AMarkedNumberIsTunedByItsText) {
  Rng rng(6);
  AuthorParameters parameters;
  parameters.marked = 1;
  const Author marking(task(), parameters);
  const Program parent = marking.write(text_of({0, 2}), Tier::strong, rng).program;
  const double own = parent.quality[2];
  const std::string source = source_of(parent, 1);
  const auto knobs = search::knobs_of(source);
  ASSERT_EQ(knobs.size(), 1U);
  ASSERT_EQ(knobs[0].choices.size(), 4U);
  for (const std::string& choice : knobs[0].choices) {
    const Program tuned = marking.tune(parent, search::with_value(source, knobs[0], choice));
    EXPECT_LE(tuned.quality[2], own + (1 - own) / 2);
    EXPECT_GE(tuned.quality[2], own / 2);
    EXPECT_EQ(tuned.quality[2] == own, choice == knobs[0].value);
    EXPECT_EQ(marking.tune(tuned, source).quality[2], own);
  }
}

TEST(Author, ABrainstormGivesDistinctIdeasOfManyApproaches) {
  Rng rng(7);
  const auto texts = author().brainstorm(10, rng);
  EXPECT_EQ(texts.size(), 10U);
  EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), 10U);
  std::set<std::size_t> approaches;
  for (const auto& text : texts) approaches.insert(idea_of(text, task())->approach);
  EXPECT_EQ(approaches.size(), task().approaches().size());
}

TEST(Author, ABrainstormEndsWithTheIdeasThereAre) {
  LandscapeParameters parameters;
  parameters.approaches = 1;
  parameters.ideas = 3;
  const Landscape small(parameters, 1);
  Rng rng(8);
  EXPECT_EQ(Author(small, {}).brainstorm(10, rng).size(), 3U);
}

}  // namespace
}  // namespace cupel::simulate
