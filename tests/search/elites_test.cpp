#include "search/history/elites.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace cupel::search {
namespace {

using Kind = Proposal::Kind;

// A history made by hand. Programs are named by what they are called here.
class Past {
 public:
  void program(const std::string& name, double speed, std::vector<std::string> parents = {},
               Kind kind = Kind::write) {
    Judged judged;
    judged.proposal = proposal(kind, std::move(parents));
    judged.candidate = {name, name, "source of " + name};
    judged.verdict.outcome = speed > 0 ? Outcome::faster : Outcome::suspect;
    if (speed > 0) {
      judged.verdict.ratios = {{"eager", "eager", speed, speed, speed, 1 / speed, 1, 100}};
    }
    judged_.push_back(std::move(judged));
  }
  void pending(Kind kind, std::vector<std::string> parents) {
    pending_.push_back(proposal(kind, std::move(parents)));
  }
  History history() const { return {judged_, pending_, {}, {}}; }

 private:
  Proposal proposal(Kind kind, std::vector<std::string> parents) {
    Proposal made;
    made.id = fmt::format("p{:04}", ++count_);
    made.kind = kind;
    made.parents = std::move(parents);
    made.branch = count_;
    return made;
  }

  int count_ = 0;
  std::vector<Judged> judged_;
  std::vector<Proposal> pending_;
};

struct Read {
  explicit Read(const Past& past, bool with_free = true)
      : history(past.history()),
        branches(history),
        lineage(history, branches),
        elites(branches, lineage, 4, with_free) {}
  std::string take() { return elites.take(false).elite->judged->candidate.id; }
  std::map<std::string, int> take_many(int count) {
    std::map<std::string, int> taken;
    for (int i = 0; i < count; ++i) ++taken[take()];
    return taken;
  }
  // The next child that has several parents, as their names; what is not is taken and left.
  std::string take_crossing() {
    for (int i = 0; i < 100; ++i) {
      const Pick pick = elites.take(true);
      if (pick.move == Move::improve) continue;
      std::string names = pick.move == Move::merge ? "merge " : "graft ";
      names += pick.elite->judged->candidate.id;
      for (const Judged* other : pick.others) names += " " + other->candidate.id;
      return names;
    }
    return "";
  }

  History history;
  Branches branches;
  Lineage lineage;
  Elites elites;
};

TEST(Elites, AreTheFastestOfEachLine) {
  Past past;
  past.program("a", 1.5);
  past.program("a2", 1.9, {"a"}, Kind::improve);
  past.program("a3", 1.8, {"a2"}, Kind::improve);
  past.program("b", 1.2);
  const Read read(past);
  ASSERT_EQ(read.elites.all().size(), 2u);
  EXPECT_EQ(read.elites.all()[0].judged->candidate.id, "a2");
  EXPECT_EQ(read.elites.all()[1].judged->candidate.id, "b");
}

TEST(Elites, OnlySoManyLines) {
  Past past;
  for (int i = 1; i <= 6; ++i) past.program(fmt::format("a{}", i), 1 + 0.1 * i);
  past.program("hack", 0);
  const Read read(past);
  ASSERT_EQ(read.elites.all().size(), 4u);
  EXPECT_EQ(read.elites.all()[0].judged->candidate.id, "a6");
  EXPECT_EQ(read.elites.all()[3].judged->candidate.id, "a3");
}

TEST(Elites, OneOfThemMayBeFree) {
  Past past;
  past.program("seed", 2, {}, Kind::seed);
  past.program("file", 3, {}, Kind::file);
  past.program("mine", 1.5);
  ASSERT_EQ(Read(past).elites.all().size(), 2u);
  EXPECT_EQ(Read(past).elites.all()[0].judged->candidate.id, "file");
  EXPECT_EQ(Read(past, false).elites.all().size(), 1u);
}

TEST(Elites, EqualOnesShareTheChildren) {
  Past past;
  past.program("a", 1.5);
  past.program("b", 1.5);
  Read read(past);
  EXPECT_EQ(read.take_many(10), (std::map<std::string, int>{{"a", 5}, {"b", 5}}));
}

TEST(Elites, TheFasterOneGetsMore) {
  Past past;
  past.program("fast", 2);
  past.program("slow", 1.6);
  const auto taken = Read(past).take_many(30);
  EXPECT_GT(taken.at("fast"), 2 * taken.at("slow"));
  EXPECT_GT(taken.at("slow"), 0) << "but not all";
}

TEST(Elites, FruitlessParentsGetFewer) {
  Past past;
  past.program("old", 1.5);
  past.program("new", 1.5);
  for (int i = 0; i < 6; ++i) past.pending(Kind::improve, {"old"});
  Read read(past);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(read.take(), "new") << i;
}

TEST(Elites, NoiseIsNoHit) {
  Past past;
  past.program("root", 1.5);
  past.program("x", 1.51, {"root"}, Kind::improve);
  EXPECT_FALSE(Read(past).lineage.all()[1].is_hit());
  past.program("y", 1.53, {"root"}, Kind::improve);
  EXPECT_TRUE(Read(past).lineage.all()[2].is_hit());
}

// Two lines end at the same speed; one came there by a large gain.
TEST(Elites, LinesThatGainGetMore) {
  Past past;
  past.program("slow", 1.1);
  past.program("steady", 1.9);
  past.program("slow2", 2.0, {"slow"}, Kind::improve);
  past.program("steady2", 2.0, {"steady"}, Kind::improve);
  const auto taken = Read(past).take_many(20);
  EXPECT_GT(taken.at("slow2"), taken.at("steady2"));
}

TEST(Elites, AFixDescendsFromWhatItsBranchBeganWith) {
  Past past;
  past.program("root", 1.5);
  past.program("child", 0, {"root"}, Kind::improve);
  Judged broken = past.history().judged[1];
  Judged fixed = broken;
  broken.verdict.outcome = Outcome::wrong;
  fixed.proposal.id = "p0009";
  fixed.proposal.kind = Kind::fix;
  fixed.proposal.fix_round = 1;
  fixed.proposal.parents = {"child"};
  fixed.candidate.id = "fixed";
  fixed.verdict.outcome = Outcome::faster;
  fixed.verdict.ratios = {{"eager", "eager", 1.9, 1.9, 1.9, 0.5, 1, 100}};
  const std::vector<Judged> judged{past.history().judged[0], broken, fixed};
  const History history{judged, {}, {}, {}};
  const Branches branches(history);
  const Lineage lineage(history, branches);
  const Elites elites(branches, lineage, 4, true);
  EXPECT_EQ(elites.all()[0].judged->candidate.id, "fixed");
  ASSERT_EQ(elites.all().size(), 1u);
  EXPECT_EQ(lineage.all()[1].line, 0u);
  EXPECT_NEAR(lineage.all()[1].log_gain, std::log(1.9 / 1.5), 1e-9);
}

// What siblings gained beside the elite is merged into it once; its own past is not.
TEST(Elites, MergeGainsThatTheyDoNotDescendFrom) {
  Past past;
  past.program("a", 1.5);
  past.program("left", 1.8, {"a"}, Kind::improve);
  past.program("right", 1.7, {"a"}, Kind::improve);
  past.program("vain", 1.4, {"a"}, Kind::improve);
  past.program("best", 2.1, {"left"}, Kind::improve);
  Read read(past);
  EXPECT_EQ(read.take_crossing(), "merge best right");
  EXPECT_EQ(read.take_crossing(), "");
  past.program("merged", 2.3, {"best", "right"}, Kind::cross);
  EXPECT_EQ(Read(past).take_crossing(), "") << "all of it stands behind the fastest now";
}

TEST(Elites, GraftDifferentLinesOnce) {
  Past past;
  past.program("a", 1.5);
  past.program("a2", 1.7, {"a"}, Kind::improve);
  past.program("b", 1.2);
  EXPECT_EQ(Read(past).take_crossing(), "graft a2 b");
  past.pending(Kind::cross, {"a2", "b"});
  EXPECT_EQ(Read(past).take_crossing(), "");
}

TEST(Elites, GraftsThatFailGetRare) {
  const auto grafts = [](int failed) {
    Past past;
    past.program("a", 1.5);
    for (int i = 0; i < 3; ++i) past.program(fmt::format("b{}", i), 1.4);
    past.program("old", 1.01);
    for (int i = 0; i < failed; ++i) past.program("", 0, {"old", "a"}, Kind::cross);
    Read read(past);
    int count = 0;
    for (int i = 0; i < 100; ++i) count += read.elites.take(true).move == Move::graft ? 1 : 0;
    return count;
  };
  EXPECT_GT(grafts(0), grafts(400));
}

}  // namespace
}  // namespace cupel::search
