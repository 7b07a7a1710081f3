#include "search/elites.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

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
      : history(past.history()), branches(history), elites(history, branches, 4, with_free) {}
  std::string take() { return elites.take().judged->candidate.id; }
  std::map<std::string, int> take_many(int count) {
    std::map<std::string, int> taken;
    for (int i = 0; i < count; ++i) ++taken[take()];
    return taken;
  }

  History history;
  Branches branches;
  Elites elites;
};

TEST(Elites, AreTheFastestCorrectOnes) {
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

TEST(Elites, ParentsThatGainGetMore) {
  Past past;
  past.program("root", 1.5);
  past.program("other", 1.5);
  past.program("x", 1.51, {"root"}, Kind::improve);
  past.program("y", 1.4, {"other"}, Kind::improve);
  const Read read(past);
  for (const Elite& elite : read.elites.all()) {
    if (elite.judged->candidate.id == "root") EXPECT_EQ(elite.hits, 0) << "1.51 is noise";
  }
  past.program("z", 1.8, {"root"}, Kind::improve);
  const Read later(past);
  for (const Elite& elite : later.elites.all()) {
    if (elite.judged->candidate.id == "root") EXPECT_EQ(elite.hits, 1);
  }
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
  const Elites elites(history, branches, 4, true);
  EXPECT_EQ(elites.all()[0].judged->candidate.id, "fixed");
  EXPECT_EQ(elites.all()[0].root, "root");
  EXPECT_EQ(elites.all()[1].hits, 1);
}

TEST(Elites, CrossDifferentLinesOnce) {
  Past past;
  past.program("a", 1.5);
  past.program("a2", 1.7, {"a"}, Kind::improve);
  past.program("b", 1.2);
  Read read(past);
  auto pair = read.elites.take_pair();
  ASSERT_EQ(pair.size(), 2u);
  EXPECT_EQ(pair[0]->judged->candidate.id, "a2");
  EXPECT_EQ(pair[1]->judged->candidate.id, "b");
  past.pending(Kind::cross, {"b", "a2"});
  Read later(past);
  pair = later.elites.take_pair();
  ASSERT_EQ(pair.size(), 2u);
  EXPECT_EQ(pair[0]->judged->candidate.id, "a") << "a2 with b was asked for";
  EXPECT_TRUE(later.elites.take_pair().empty());
}

}  // namespace
}  // namespace cupel::search
