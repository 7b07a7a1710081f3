#include "engine/lanes/thread_lanes.h"

#include <gtest/gtest.h>

#include <latch>
#include <limits>
#include <set>
#include <thread>

#include "engine/rehearse/scripted_agents.h"
#include "engine/rehearse/scripted_evaluator.h"

namespace cupel::engine {
namespace {

constexpr double k_forever_s = std::numeric_limits<double>::infinity();

Prompt prompt_of(const std::string& id) {
  Prompt prompt;
  prompt.proposal_id = id;
  return prompt;
}

class ThreadLanesTest : public testing::Test {
 protected:
  ThreadLanesTest() : provider_({.concurrency_max = 3}), agents_(scripted_agents(provider_)) {}

  ThreadLanes lanes(ThreadLanesSettings settings = {2, true}) {
    return {settings, evaluator_, agents_, clock_, stop_};
  }

  const SystemClock clock_;
  StopFlag stop_;
  ScriptedProvider provider_;
  Agents agents_;
  ScriptedEvaluator evaluator_{Script{}};
};

// Each answer waits for the two others: one after the other they would never end.
TEST_F(ThreadLanesTest, AsksAsManyAtOnceAsTheProviderTakes) {
  std::latch all_asked(3);
  provider_.on_ask = [&](const Prompt&) { all_asked.arrive_and_wait(); };
  ThreadLanes lanes = this->lanes();
  for (const char* id : {"p1", "p2", "p3"}) {
    ASSERT_TRUE(lanes.can_ask(Tier::strong));
    lanes.ask(prompt_of(id));
  }
  EXPECT_FALSE(lanes.can_ask(Tier::strong));
  std::set<std::string> answered;
  while (auto completion = lanes.next(k_forever_s)) {
    EXPECT_TRUE(std::holds_alternative<Reply>(completion->outcome));
    answered.insert(completion->subject);
  }
  EXPECT_EQ(answered, (std::set<std::string>{"p1", "p2", "p3"}));
  EXPECT_TRUE(lanes.can_ask(Tier::strong));
}

TEST_F(ThreadLanesTest, OneThreadMakesAllMeasurements) {
  std::set<std::thread::id> threads;
  evaluator_.on_judge = [&](const std::vector<Candidate>&) {
    threads.insert(std::this_thread::get_id());
  };
  ThreadLanes lanes = this->lanes();
  for (int i = 0; i < 5; ++i) {
    lanes.measure("p1", {make_candidate("source", "label")});
    EXPECT_FALSE(lanes.can_measure());
    const auto completion = lanes.next(k_forever_s);
    ASSERT_TRUE(completion);
    EXPECT_TRUE(std::get<Measured>(completion->outcome).judgement);
  }
  EXPECT_EQ(threads.size(), 1u);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST_F(ThreadLanesTest, BuildsAndMeasurementsExcludeEachOtherWhereTheyShareCores) {
  ThreadLanes shared = lanes({2, true});
  shared.build("p1", make_candidate("source", "label"));
  EXPECT_TRUE(shared.can_build());
  EXPECT_FALSE(shared.can_measure());
  ASSERT_TRUE(shared.next(k_forever_s));
  shared.measure("p1", {make_candidate("source", "label")});
  EXPECT_FALSE(shared.can_build());
  ASSERT_TRUE(shared.next(k_forever_s));  // both lanes have one evaluator, which one thread asks
}

TEST_F(ThreadLanesTest, BuildsAndMeasurementsGoTogetherElsewhere) {
  ThreadLanes apart = lanes({2, false});
  apart.build("p1", make_candidate("source", "label"));
  EXPECT_TRUE(apart.can_measure());
  apart.measure("p2", {make_candidate("source", "label")});
  EXPECT_TRUE(apart.can_build());
}

TEST_F(ThreadLanesTest, AStopWakesWhoWaits) {
  std::latch stopped(1);
  provider_.on_ask = [&](const Prompt&) { stopped.wait(); };
  ThreadLanes lanes = this->lanes();
  lanes.ask(prompt_of("p1"));
  stop_.raise();
  EXPECT_FALSE(lanes.next(k_forever_s));
  stopped.count_down();
  lanes.cancel_asks();
  EXPECT_TRUE(lanes.next(k_forever_s));  // what was paid for is still handed over
}

TEST_F(ThreadLanesTest, NothingUnderWayIsNothingToWaitFor) {
  ThreadLanes lanes = this->lanes();
  EXPECT_FALSE(lanes.next(k_forever_s));
}

}  // namespace
}  // namespace cupel::engine
