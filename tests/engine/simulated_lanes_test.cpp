#include "engine/lanes/simulated_lanes.h"

#include <gtest/gtest.h>

#include <limits>

#include "engine/rehearse/scripted_agents.h"
#include "engine/rehearse/scripted_evaluator.h"

namespace cupel::engine {
namespace {

constexpr double k_forever_s = std::numeric_limits<double>::infinity();

class SimulatedLanesTest : public testing::Test {
 protected:
  SimulatedLanesTest()
      : provider_({.seconds_min = 20, .seconds_max = 20}), agents_(scripted_agents(provider_)) {
    settings_.build_s = [](const std::string&) { return 5.0; };
    settings_.measure_s = [](const std::string&) { return 2.0; };
    settings_.builds_disturb = false;
  }

  SimulatedLanes lanes() { return {settings_, evaluator_, agents_, clock_}; }

  double now_s() const { return static_cast<double>(clock_.now_ns()) / k_ns_per_s; }

  FakeClock clock_;
  ScriptedProvider provider_;
  Agents agents_;
  ScriptedEvaluator evaluator_{Script{}};
  SimulatedLanesSettings settings_;
  Candidate candidate_ = make_candidate("source", "label");
};

TEST_F(SimulatedLanesTest, WorkCompletesInTheOrderOfItsTimes) {
  SimulatedLanes lanes = this->lanes();
  Prompt prompt;
  prompt.proposal_id = "asked";
  lanes.ask(prompt);
  lanes.build("built", candidate_);
  lanes.measure("measured", {candidate_});
  EXPECT_EQ(lanes.next(k_forever_s)->subject, "measured");
  EXPECT_DOUBLE_EQ(now_s(), 2);
  EXPECT_EQ(lanes.next(k_forever_s)->subject, "built");
  EXPECT_DOUBLE_EQ(now_s(), 5);
  EXPECT_EQ(lanes.next(k_forever_s)->subject, "asked");
  EXPECT_DOUBLE_EQ(now_s(), 20);
  EXPECT_FALSE(lanes.next(k_forever_s));
}

TEST_F(SimulatedLanesTest, TimeThatIsUpPassesAndNothingIsLost) {
  SimulatedLanes lanes = this->lanes();
  lanes.build("built", candidate_);
  EXPECT_FALSE(lanes.next(3));
  EXPECT_DOUBLE_EQ(now_s(), 3);
  EXPECT_TRUE(lanes.next(3));
  EXPECT_DOUBLE_EQ(now_s(), 5);
}

TEST_F(SimulatedLanesTest, CancelledQuestionsFailAtOnceAtTheirPrice) {
  SimulatedLanes lanes = this->lanes();
  Prompt prompt;
  prompt.proposal_id = "asked";
  lanes.ask(prompt);
  lanes.cancel_asks();
  const auto completion = lanes.next(k_forever_s);
  ASSERT_TRUE(completion);
  EXPECT_EQ(std::get<Reply>(completion->outcome).end, Reply::End::failed);
  EXPECT_DOUBLE_EQ(now_s(), 0);
}

TEST_F(SimulatedLanesTest, OneAtATimeMeansAllLanesTogether) {
  settings_.one_at_a_time = true;
  SimulatedLanes lanes = this->lanes();
  lanes.build("built", candidate_);
  EXPECT_FALSE(lanes.can_build() || lanes.can_measure() || lanes.can_ask(Tier::strong));
  ASSERT_TRUE(lanes.next(k_forever_s));
  EXPECT_TRUE(lanes.can_measure());
}

}  // namespace
}  // namespace cupel::engine
