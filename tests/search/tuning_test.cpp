#include "search/drafting/tuning.h"

#include <gtest/gtest.h>

namespace cupel::search {
namespace {

using Kind = Proposal::Kind;

TEST(KnobsOf, FindsMarkedNumbersInPythonAndInCpp) {
  const auto knobs = knobs_of(
      "BLOCK = 64  # tune: 32 64 128\n"
      "  constexpr int k_tile = 16;  // tune: 8, 16, 32\n"
      "STAGES = 3\n");
  ASSERT_EQ(knobs.size(), 2u);
  EXPECT_EQ(knobs[0].value, "64");
  EXPECT_EQ(knobs[0].line, "BLOCK = 64");
  EXPECT_EQ(knobs[0].choices, (std::vector<std::string>{"32", "64", "128"}));
  EXPECT_EQ(knobs[1].value, "16");
  EXPECT_EQ(knobs[1].line, "constexpr int k_tile = 16;");
}

TEST(KnobsOf, TheLastNumberThatIsAChoiceIsMeant) {
  const std::string source = "launch(n, 64, block=64)  # tune: 64 128";
  const auto knobs = knobs_of(source);
  ASSERT_EQ(knobs.size(), 1u);
  EXPECT_EQ(with_value(source, knobs[0], "128"), "launch(n, 64, block=128)  # tune: 64 128");
}

TEST(KnobsOf, WhatCannotBeTunedIsNoKnob) {
  for (const char* line :
       {"BLOCK = 64", "BLOCK = 64  # tune:", "BLOCK = 64  # tune: 64", "BLOCK = 48  # tune: 32 64",
        "BLOCK = X  # tune: more", "# tune: 1 2", "block64 = f()  # tune: 64 128"}) {
    EXPECT_TRUE(knobs_of(line).empty()) << line;
  }
}

Judged judged_as(const char* id, Kind kind, double speed, std::string source,
                 std::vector<std::string> parents = {}) {
  Judged judged;
  judged.proposal.id = id;
  judged.proposal.kind = kind;
  judged.proposal.parents = std::move(parents);
  judged.proposal.branch = std::atoi(id + 1);
  judged.candidate = {id, id, std::move(source)};
  judged.verdict.outcome = Outcome::faster;
  judged.verdict.ratios = {{"eager", "eager", speed, speed, speed, 1 / speed, 1, 100}};
  return judged;
}

constexpr const char* k_source = "A = 2  # tune: 1 2 4\nB = 8  # tune: 8 16";

std::vector<Draft> tunings_of(const History& history, const TuningLimits& limits) {
  const Branches branches(history);
  return tunings(history, Lineage(history, branches), limits);
}

TEST(Tunings, ChangeTheFastestWrittenProgramNearestChoiceFirst) {
  const std::vector<Judged> judged{judged_as("p1", Kind::write, 1.5, k_source),
                                   judged_as("p2", Kind::write, 1.2, "C = 1  # tune: 1 2"),
                                   judged_as("p3", Kind::file, 9, "D = 1  # tune: 1 2")};
  const auto drafts = tunings_of({judged, {}, {}, {}}, {10, 60});
  ASSERT_EQ(drafts.size(), 3u);
  EXPECT_EQ(drafts[0].source, "A = 1  # tune: 1 2 4\nB = 8  # tune: 8 16");
  EXPECT_EQ(drafts[1].source, "A = 4  # tune: 1 2 4\nB = 8  # tune: 8 16");
  EXPECT_EQ(drafts[2].source, "A = 2  # tune: 1 2 4\nB = 16  # tune: 8 16");
  EXPECT_EQ(drafts[0].proposal.kind, Kind::tune);
  EXPECT_EQ(drafts[0].proposal.parents, std::vector<std::string>{"p1"});
  EXPECT_FALSE(drafts[0].proposal.charged);
}

TEST(Tunings, NothingTwiceAndNoMoreThanTheLimits) {
  std::vector<Judged> judged{judged_as("p1", Kind::write, 1.5, k_source)};
  const auto first = tunings_of({judged, {}, {}, {}}, {2, 60});
  ASSERT_EQ(first.size(), 2u);
  const std::vector<Proposal> pending{first[0].proposal};
  const std::vector<Proposal> rejected{first[1].proposal};
  const auto next = tunings_of({judged, pending, rejected, {}}, {2, 60});
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].source, "A = 2  # tune: 1 2 4\nB = 16  # tune: 8 16");
  EXPECT_TRUE(tunings_of({judged, pending, rejected, {}}, {1, 60}).empty());
  EXPECT_TRUE(tunings_of({judged, pending, rejected, {}}, {2, 2}).empty());
}

TEST(Tunings, AChangeThatGainsIsTunedInTurn) {
  const std::vector<Judged> judged{
      judged_as("p1", Kind::write, 1.5, k_source),
      judged_as("p2", Kind::tune, 1.6, "A = 4  # tune: 1 2 4\nB = 8  # tune: 8 16", {"p1"})};
  const auto drafts = tunings_of({judged, {}, {}, {}}, {10, 60});
  ASSERT_EQ(drafts.size(), 3u);
  EXPECT_EQ(drafts[0].proposal.parents, std::vector<std::string>{"p2"});
}

}  // namespace
}  // namespace cupel::search
