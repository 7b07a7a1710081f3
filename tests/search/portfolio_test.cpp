#include "search/portfolio.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace cupel::search {
namespace {

Portfolio sample() {
  return Portfolio({make_candidate("user 1", "a.py"), make_candidate("user 2", "b.py")},
                   {{"eager", "eager", "s0", 0},
                    {"compile", "torch.compile", "s1", 30},
                    {"max", "torch.compile max-autotune", "s2", 120}});
}

std::vector<std::string> labels_of(const Step& step) {
  std::vector<std::string> labels;
  for (const Draft& draft : step.drafts) labels.push_back(draft.proposal.label);
  return labels;
}

Step next(const History& history, const Budget& budget = {}) {
  Rng rng(1);
  return sample().next(history, budget, rng);
}

using Labels = std::vector<std::string>;

Proposal made(const char* id, Proposal::Kind kind, const char* label) {
  Proposal proposal;
  proposal.id = id;
  proposal.kind = kind;
  proposal.label = label;
  return proposal;
}

TEST(Portfolio, ProposesFilesThenSeedsInOrder) {
  const Step step = next({});
  EXPECT_EQ(labels_of(step), (Labels{"a.py", "b.py", "eager", "compile", "max"}));
  EXPECT_EQ(step.drafts[0].proposal.kind, Proposal::Kind::file);
  EXPECT_EQ(step.drafts[0].source, "user 1");
  EXPECT_EQ(step.drafts[3].proposal.kind, Proposal::Kind::seed);
  EXPECT_EQ(step.drafts[3].candidate_label, "torch.compile");
  EXPECT_FALSE(step.drafts[3].proposal.reason.empty());
}

TEST(Portfolio, ProposesNothingTwice) {
  Judged judged;
  judged.proposal = made("p0001", Proposal::Kind::file, "a.py");
  const Proposal pending = made("p0002", Proposal::Kind::seed, "compile");
  const Proposal rejected = made("p0003", Proposal::Kind::seed, "eager");
  const Step step = next({{&judged, 1}, {&pending, 1}, {&rejected, 1}});
  EXPECT_EQ(labels_of(step), (Labels{"b.py", "max"}));
}

TEST(Portfolio, AFileNamedLikeASeedIsAnotherProposal) {
  const Proposal pending = made("p0001", Proposal::Kind::file, "compile");
  EXPECT_EQ(labels_of(next({{}, {&pending, 1}, {}})).size(), 5u);
}

TEST(Portfolio, SkipsWhatWouldNotCompileInTime) {
  const Step step = next({}, {60});
  EXPECT_EQ(labels_of(step), (Labels{"a.py", "b.py", "eager", "compile"}));
  ASSERT_EQ(step.skips.size(), 1u);
  EXPECT_EQ(step.skips[0].label, "max");
  EXPECT_NE(step.skips[0].why.find("120 s"), std::string::npos);
}

TEST(Portfolio, ASeedNamedTwiceIsProposedOnce) {
  Rng rng(1);
  const Portfolio twice({}, {{"eager", "eager", "s0", 0}, {"eager", "again", "s9", 0}});
  EXPECT_EQ(twice.next({}, {}, rng).drafts.size(), 1u);
}

TEST(Portfolio, AnyPartOfItProposedLeavesTheRestInOrder) {
  EXPECT_TRUE(rc::check("what is left keeps its order and nothing is lost", [] {
    const auto taken = *rc::gen::container<std::vector<bool>>(5, rc::gen::arbitrary<bool>());
    const Step all = next({});
    std::vector<Proposal> pending;
    Labels rest;
    for (std::size_t i = 0; i < all.drafts.size(); ++i) {
      const Draft& draft = all.drafts[i];
      if (taken[i]) {
        pending.push_back(draft.proposal);
      } else {
        rest.push_back(draft.proposal.label);
      }
    }
    RC_ASSERT(labels_of(next({{}, pending, {}, {}})) == rest);
  }));
}

}  // namespace
}  // namespace cupel::search
