#include "engine/turn/asking.h"

#include <gtest/gtest.h>

#include "engine/plan/budget.h"
#include "engine/scripted_search.h"

namespace cupel::engine {
namespace {

// A run that asked for two programs and died; one answer had come.
class LostAsk : public testing::Test {
 protected:
  LostAsk() : directory_(scratch()), journal_(open_or_die(directory_.path(), clock_)) {
    RunRequest request = search_request(10);
    request.options.nano_usd_max = 1'000;
    request.options.queries_max = 10;
    CUPEL_CHECK(journal_.begin_sitting().has_value());
    CUPEL_CHECK(journal_.start(request).has_value());
    CUPEL_CHECK(journal_.admit({}).has_value());
    for (const char* id : {"p0001", "p0002"}) {
      Proposed proposed;
      proposed.proposal.id = id;
      proposed.proposal.kind = Proposal::Kind::write;
      CUPEL_CHECK(journal_.propose(proposed).has_value());
      CUPEL_CHECK(journal_.ask({id, "scripted", 300, 1}, {}).has_value());
    }
    Reply reply;
    reply.end = Reply::End::complete;
    reply.text = "class ModelNew: pass";
    reply.nano_usd = 100;
    CUPEL_CHECK(journal_.reply({"p0001", reply, 1, false}).has_value());
  }

  FakeClock clock_;
  TempDir directory_;
  journal::Journal journal_;
};

TEST_F(LostAsk, IsChargedAtItsWorstCaseAndAskedAgain) {
  ScriptedProvider provider({});
  std::vector<std::string> asked;
  provider.on_ask = [&](const Prompt& prompt) { asked.push_back(prompt.proposal_id); };
  const Agents agents = scripted_agents(provider);
  ScriptedEvaluator evaluator = evaluator_of(1);
  SimulatedLanes lanes({}, evaluator, agents, clock_);
  SilentSink progress;
  const StopFlag stop;
  Sitting sitting{evaluator, journal_, lanes, agents, progress, stop};
  EXPECT_EQ(ledger_of(journal_.state()).nano_usd_left(), 1'000 - 100 - 300);
  ASSERT_TRUE(settle_lost_asks(sitting));
  EXPECT_EQ(journal_.state().nano_usd_spent, 400);
  EXPECT_EQ(journal_.state().record.queries, 2);
  std::vector<std::string> started;
  ASSERT_TRUE(start_asks(sitting, started));
  EXPECT_EQ(started, std::vector<std::string>{"p0002"});
  EXPECT_EQ(asked, std::vector<std::string>{"p0002"});
}

TEST_F(LostAsk, ASecondSettlementOfOneQuestionIsRefused) {
  EXPECT_FALSE(journal_.reply({"p0001", {}, 1, false}));
  EXPECT_EQ(journal_.state().nano_usd_spent, 100);
}

}  // namespace
}  // namespace cupel::engine
