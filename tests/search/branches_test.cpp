#include "search/history/branches.h"

#include <gtest/gtest.h>

#include "search/drafting/fixing.h"
#include "search/step/allowance.h"

namespace cupel::search {
namespace {

using Kind = Proposal::Kind;

Proposal asked(const char* id, int phase, int branch, int fix_round = 0) {
  Proposal proposal;
  proposal.id = id;
  proposal.kind = fix_round > 0 ? Kind::fix : Kind::write;
  proposal.phase = phase;
  proposal.branch = branch;
  proposal.fix_round = fix_round;
  proposal.charged = true;
  proposal.tier = fix_round > 4 ? Tier::strong : Tier::cheap;
  return proposal;
}

Judged verdict(const Proposal& proposal, Outcome outcome, const char* text = "no member 'x'") {
  Judged judged;
  judged.proposal = proposal;
  judged.candidate = make_candidate("source of " + proposal.id, "");
  judged.verdict.outcome = outcome;
  judged.verdict.reasons = {{"build_error", text, 0, 0}};
  return judged;
}

TEST(Branches, GroupAChildWithItsFixes) {
  const std::vector<Judged> judged{verdict(asked("p0003", 1, 0), Outcome::wrong),
                                   verdict(asked("p0001", 0, 0), Outcome::wrong),
                                   verdict(asked("p0004", 0, 0, 1), Outcome::same)};
  const std::vector<Proposal> pending{asked("p0005", 1, 0, 1)};
  const Branches branches({judged, pending, {}, {}});
  ASSERT_EQ(branches.all().size(), 2u);
  EXPECT_EQ(branches.last_phase(), 1);
  const Branch& first = *branches.find(0, 0);
  EXPECT_EQ(first.attempts.size(), 2u);
  EXPECT_EQ(first.correct(), &judged[2]);
  EXPECT_FALSE(first.pending());
  EXPECT_TRUE(branches.find(1, 0)->pending());
  EXPECT_EQ(branches.find(1, 0)->mendable(), nullptr) << "its fix is under way";
  EXPECT_EQ(branches.find(1, 1), nullptr);
  EXPECT_TRUE(branches.of_phase(7).empty());
}

TEST(Branches, KnowWhatCanBeMended) {
  const auto mendable = [](Outcome outcome) {
    const Judged judged = verdict(asked("p0001", 0, 0), outcome);
    return Branches({{&judged, 1}, {}, {}, {}}).all()[0].mendable() != nullptr;
  };
  for (const Outcome error : {Outcome::wrong, Outcome::build_error, Outcome::runtime_error,
                              Outcome::timeout, Outcome::out_of_memory, Outcome::invalid_reply}) {
    EXPECT_TRUE(mendable(error)) << to_string(error);
  }
  for (const Outcome other : {Outcome::faster, Outcome::same, Outcome::slower, Outcome::ambiguous,
                              Outcome::suspect, Outcome::impossible, Outcome::infra_fault}) {
    EXPECT_FALSE(mendable(other)) << to_string(other);
  }
}

TEST(Branches, SeedsFilesAndTextsAreNone) {
  std::vector<Proposal> pending{asked("p0001", 0, 0), asked("p0002", 0, 1), asked("p0003", 0, 2)};
  pending[0].kind = Kind::seed;
  pending[1].kind = Kind::file;
  pending[2].kind = Kind::brainstorm;
  EXPECT_EQ(Branches({{}, pending, {}, {}}).last_phase(), -1);
  EXPECT_EQ(in_flight({{}, pending, {}, {}}), 1) << "a brainstorm is in flight, seeds are not";
}

TEST(IdeasOf, CollectsAllBrainstorms) {
  std::vector<Answered> answered(2);
  answered[0].proposal.id = "p0002";
  answered[1].proposal.id = "p0010";
  for (Answered& entry : answered) entry.proposal.kind = Kind::brainstorm;
  answered[0].texts = {"a", "b"};
  answered[1].texts = {"c"};
  const Ideas ideas = ideas_of({{}, {}, {}, answered});
  EXPECT_EQ(ideas.asked, 2);
  EXPECT_FALSE(ideas.pending);
  EXPECT_EQ(ideas.last_id, "p0010");
  EXPECT_EQ(ideas.texts, (std::vector<std::string_view>{"a", "b", "c"}));
}

TEST(Allowance, IsTheLeastOfAllLimits) {
  const std::vector<Proposal> pending{asked("p0001", 0, 0), asked("p0002", 0, 1)};
  const History history{{}, pending, pending, {}};
  EXPECT_EQ(queries_made(history), 4) << "those turned away count";
  Budget budget;
  EXPECT_EQ(Allowance(history, budget, 10).left(), 6);
  EXPECT_EQ(Allowance(history, budget, 3).left(), 0);
  budget.queries_left = 2;
  Allowance allowance(history, budget, 10);
  EXPECT_TRUE(allowance.take());
  EXPECT_TRUE(allowance.take());
  EXPECT_FALSE(allowance.take());
  budget.usd_left = 0;
  EXPECT_FALSE(Allowance(history, budget, 10).any());
}

std::optional<Tier> fixer_after(const std::vector<Judged>& judged) {
  return next_fixer(Branches({judged, {}, {}, {}}).all()[0], Escalation{});
}

TEST(NextFixer, EscalatesFromCheapToStrong) {
  std::vector<Judged> judged{verdict(asked("p0001", 0, 0), Outcome::wrong, "a")};
  EXPECT_EQ(fixer_after(judged), Tier::cheap);
  judged.push_back(verdict(asked("p0002", 0, 0, 1), Outcome::wrong, "b"));
  EXPECT_EQ(fixer_after(judged), Tier::cheap);
  judged.push_back(verdict(asked("p0003", 0, 0, 2), Outcome::wrong, "c"));
  EXPECT_EQ(fixer_after(judged), Tier::cheap);
  judged.push_back(verdict(asked("p0004", 0, 0, 3), Outcome::wrong, "d"));
  EXPECT_EQ(fixer_after(judged), Tier::cheap);
  judged.push_back(verdict(asked("p0005", 0, 0, 4), Outcome::wrong, "e"));
  EXPECT_EQ(fixer_after(judged), Tier::strong);
  judged.push_back(verdict(asked("p0006", 0, 0, 5), Outcome::wrong, "f"));
  EXPECT_EQ(fixer_after(judged), std::nullopt);
}

TEST(NextFixer, TheSameErrorTwiceAgainCallsTheStrongOne) {
  std::vector<Judged> judged{verdict(asked("p0001", 0, 0), Outcome::build_error),
                             verdict(asked("p0002", 0, 0, 1), Outcome::build_error)};
  EXPECT_EQ(fixer_after(judged), Tier::cheap);
  judged.push_back(verdict(asked("p0003", 0, 0, 2), Outcome::build_error));
  EXPECT_EQ(fixer_after(judged), Tier::strong);
}

}  // namespace
}  // namespace cupel::search
