#include "measure/round/round.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "fake_round.h"
#include "measure/round/timing.h"

namespace cupel::measure {
namespace {

std::set<std::int64_t> inputs_of(const std::vector<CallSample>& calls) {
  std::set<std::int64_t> inputs;
  for (const CallSample& call : calls) inputs.insert(call.input);
  return inputs;
}

std::set<std::int64_t> checked_inputs(const ProgramEvidence& program) {
  std::set<std::int64_t> inputs;
  for (const OutputCheck& check : program.checks) inputs.insert(check.input);
  return inputs;
}

// Of a program's rows, those that are compared, though some do not count.
std::set<std::int64_t> inputs_in_rows(const FakeRound& round, std::size_t lane) {
  std::set<std::int64_t> inputs;
  for (const char* kind : {"row", "early"}) {
    for (const LoggedCall& call : round.logged(kind)) {
      if (call.lane == lane) inputs.insert(call.place.input);
    }
  }
  return inputs;
}

FakeRound read_in_place() {
  FakeRound round;
  for (FakeProgram& program : round.programs) program.readable = true;
  return round;
}

class RoundTest : public testing::TestWithParam<bool> {
 protected:
  FakeRound round() const { return GetParam() ? read_in_place() : FakeRound(); }
  FakeRound enduring_round(bool large = false) const {
    FakeRound enduring = round();
    enduring.plan.endurance_calls = 120;
    if (large) enduring.vault_bytes_max = 1;
    return enduring;
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, RoundTest, testing::Bool(),
                         [](const auto& way) { return way.param ? "Read" : "Copied"; });

TEST_P(RoundTest, AllProgramsAreTimedOnTheSameInputs) {
  FakeRound round = this->round();
  const auto evidence = round.run();
  ASSERT_TRUE(evidence) << evidence.error().describe();
  ASSERT_EQ(evidence->programs.size(), 2U);
  EXPECT_EQ(evidence->stop_reason, "calls");
  const auto inputs = inputs_of(evidence->programs[0].calls);
  EXPECT_EQ(inputs_in_rows(round, 0).size(), 24U);
  EXPECT_EQ(inputs, inputs_of(evidence->programs[1].calls));
}

TEST_P(RoundTest, EveryTimedCallIsComparedBeforeItsInputIsReleased) {
  FakeRound round = this->round();
  const auto evidence = round.run();  // comparing what was released fails
  ASSERT_TRUE(evidence) << evidence.error().describe();
  for (const ProgramEvidence& program : evidence->programs) {
    const auto checked = checked_inputs(program);
    EXPECT_TRUE(std::ranges::includes(checked, inputs_of(program.calls)));
  }
  EXPECT_TRUE(round.referee.alive.empty());
}

TEST_P(RoundTest, ItsTimedInputsAreOneOrder) {
  FakeRound round = this->round();
  ASSERT_TRUE(round.run());
  std::int64_t drawn = 0;
  for (const FakeReferee::Draw& draw : round.referee.draws) {
    if (draw.mix != InputMix::timed) continue;
    EXPECT_EQ(draw.at, drawn);
    EXPECT_EQ(draw.order, round.referee.draws.front().order);
    drawn += draw.count;
  }
  EXPECT_EQ(drawn, 24);
}

TEST_P(RoundTest, EachOtherValueClassAsksForOneMoreInput) {
  FakeRound round = this->round();
  round.plan.timing_seconds_max = 0;
  round.plan.inputs_min = 8;
  round.plan.other_classes = 8;
  const auto evidence = round.run();
  ASSERT_TRUE(evidence) << evidence.error().describe();
  EXPECT_GE(inputs_in_rows(round, 0).size(), 16U);
}

TEST(Chunks, AreOfSomeTimeAndTheLastTwoOfWhatIsLeft) {
  MeasurePlan plan;
  plan.other_classes = 12;
  EXPECT_EQ(chunk_inputs(plan, 0, 0, 1), plan.first_chunk_inputs);
  EXPECT_EQ(chunk_inputs(plan, 0, 0, 50), 8);
  EXPECT_EQ(chunk_inputs(plan, 32, 160, 5), 80);   // 400 ms each
  EXPECT_EQ(chunk_inputs(plan, 32, 800, 10), 10);  // 200 ms are left
  EXPECT_EQ(chunk_inputs(plan, 32, 1000, 10), 0);
  EXPECT_EQ(chunk_inputs(plan, 390, 100, 1e-3), 4);
  EXPECT_EQ(chunk_inputs(plan, 400, 100, 1e-3), 0);
}

TEST(Chunks, BeyondTheBudgetHoldWhatIsMissing) {
  MeasurePlan plan;
  plan.other_classes = 12;
  EXPECT_EQ(chunk_inputs(plan, 12, 1200, 10), 8);   // of 28
  EXPECT_EQ(chunk_inputs(plan, 16, 1600, 100), 4);  // no more than fit a chunk
  EXPECT_EQ(chunk_inputs(plan, 27, 1600, 100), 2);
  EXPECT_EQ(chunk_inputs(plan, 16, 121e3, 5e3), 0);  // too slow
  EXPECT_EQ(chunk_inputs(plan, 2, 90e3, 45e3), 2);   // but for the first four
}

TEST_P(RoundTest, TheTurnIsReversedFromChunkToChunk) {
  FakeRound round = this->round();
  const auto evidence = round.run();
  ASSERT_TRUE(evidence);
  std::map<std::int64_t, std::size_t> first;  // who was first on an input
  for (const char* kind : {"row", "early"}) {
    for (const LoggedCall& call : round.logged(kind)) first.emplace(call.place.input, call.lane);
  }
  ASSERT_EQ(first.size(), 24U);
  EXPECT_EQ(std::ranges::count_if(first, [](const auto& one) { return one.second == 0; }), 12);
}

TEST_P(RoundTest, AProgramThatFailsIsCalledNoMoreAndTheOthersAre) {
  FakeRound round = this->round();
  round.programs.push_back(round.programs[1]);
  round.programs[1].fails_at_call = 30;
  const auto evidence = round.run();
  ASSERT_TRUE(evidence);
  EXPECT_EQ(evidence->programs[1].fault.what, "it failed");
  EXPECT_LT(inputs_in_rows(round, 1).size(), 24U);
  EXPECT_EQ(inputs_in_rows(round, 2).size(), 24U);
  const auto of_the_second = [](const LoggedCall& call) { return call.lane == 1; };
  EXPECT_EQ(std::ranges::count_if(round.log, of_the_second), 31);
}

TEST_P(RoundTest, WithoutItsBaselineARoundEnds) {
  FakeRound round = this->round();
  round.programs[0].fails_at_call = 30;
  const auto evidence = round.run();
  ASSERT_TRUE(evidence);
  EXPECT_EQ(evidence->stop_reason, "fault");
  EXPECT_LT(evidence->programs[1].calls.size(), 24U);
}

TEST_P(RoundTest, WhoJudgesStopsIt) {
  FakeRound round = this->round();
  round.stop = [](const Evidence& evidence) {
    return inputs_of(evidence.programs[0].calls).empty() ? "" : "settled";
  };
  const auto evidence = round.run();
  ASSERT_TRUE(evidence);
  EXPECT_EQ(evidence->stop_reason, "settled");
  EXPECT_EQ(inputs_in_rows(round, 0).size(), 8U);
}

TEST_P(RoundTest, ClaimantsAreCalledWithOtherWeightsAndInBatches) {
  FakeRound round = this->round();
  round.programs.push_back(round.programs[1]);
  round.claimants = {2};
  const auto evidence = round.run();
  ASSERT_TRUE(evidence);
  std::set<std::size_t> lanes;
  for (const LoggedCall& call : round.logged("beside")) {
    EXPECT_EQ(call.place.instance, 1);
    lanes.insert(call.lane);
  }
  EXPECT_EQ(lanes, (std::set<std::size_t>{0, 2}));
  EXPECT_TRUE(evidence->programs[1].batches.empty());
  EXPECT_EQ(evidence->programs[2].batches.size(), evidence->programs[0].batches.size());
  EXPECT_EQ(evidence->programs[1].unaudited, "the round ended before");
  EXPECT_EQ(evidence->programs[2].unaudited == "",
            GetParam());  // on a CPU the judge must be able to read
}

// The judge's copies lie between two calls of which both count: one of the program's own comes
// after them. How many it is nobody knows.
TEST_P(RoundTest, BeforeEachCallThatCountsComeSomeThatDoNot) {
  FakeRound round = this->round();
  ASSERT_TRUE(round.run());
  std::map<std::size_t, int> since;  // a lane's last call that counts
  std::set<int> gaps;
  for (const LoggedCall& call : round.log) {
    if (call.kind == "uncounted" || call.kind == "early") ++since[call.lane];
    if (call.kind == "row") gaps.insert(std::exchange(since[call.lane], 0));
  }
  EXPECT_GT(gaps.size(), 2U);
  EXPECT_GE(*gaps.begin(), 1);
}

// Of large ones two at a time, behind one or two others; in an audit one comes after them.
TEST_P(RoundTest, LargeInputsComeBehindFewOthers) {
  for (const bool audits : {false, true}) {
    FakeRound round = this->round();
    round.vault_bytes_max = 1;
    round.plan.holds_outputs = audits;
    round.plan.endurance_calls = audits ? 120 : 0;
    const auto evidence = round.run();
    ASSERT_TRUE(evidence) << evidence.error().describe();
    EXPECT_EQ(evidence->infra_fault, "");
    EXPECT_EQ(inputs_in_rows(round, 0).size(), 24U);
    EXPECT_GE(evidence->programs[1].endurance.calls, round.plan.endurance_calls);
    std::map<std::size_t, int> uncounted;
    std::set<int> before;
    for (const LoggedCall& call : round.log) {
      if (call.kind == "uncounted") ++uncounted[call.lane];
      if (call.kind == "early") uncounted[call.lane] = -2;  // some more may come behind it
      if (call.kind == "row") before.insert(std::exchange(uncounted[call.lane], 0));
    }
    EXPECT_TRUE(before.contains(1) && before.contains(2));
    EXPECT_LE(*before.rbegin(), 2);
  }
}

// A row settles: its first calls find what another program and the judge have left in caches.
TEST_P(RoundTest, ARowBeginsWithAsManyThatDoNotCountAsMayCount) {
  for (const double call_ms : {1.0, 15.0}) {
    FakeRound round = this->round();
    for (FakeProgram& program : round.programs) program.call_ms = call_ms;
    ASSERT_TRUE(round.run());
    const int most = std::clamp(static_cast<int>(round.plan.row_ms / call_ms),
                                round.plan.row_cold_calls, round.plan.row_calls_max);
    std::vector<int> begins;  // calls before a row's first that counts
    std::size_t lane = round.programs.size();
    int uncounted = 0;
    for (const LoggedCall& call : round.log) {
      const bool counts = call.kind == "row";
      if (!counts && call.kind != "uncounted" && call.kind != "early") continue;
      if (std::exchange(lane, call.lane) != call.lane) uncounted = 0;
      if (!counts) ++uncounted;
      if (counts && uncounted >= 0) begins.push_back(std::exchange(uncounted, -1000));
    }
    ASSERT_GE(begins.size(), 4U);
    EXPECT_GE(*std::min_element(begins.begin(), begins.end()), most + 1);
    EXPECT_LE(*std::max_element(begins.begin(), begins.end()), most + 2 * round.plan.row_gap_max);
  }
}

// Of each chunk one call is held after the next one, and recalled at the chunk's end.
TEST_P(RoundTest, AnAuditHoldsACallOfEachChunk) {
  FakeRound round = this->round();
  round.plan.holds_outputs = true;
  const auto evidence = round.run();
  ASSERT_TRUE(evidence);
  const auto held = round.logged("hold"), recalled = round.logged("recall_timed");
  ASSERT_GE(held.size(), 4U);
  ASSERT_EQ(held.size(), recalled.size());
  const auto timed = inputs_of(evidence->programs[0].calls);
  for (const LoggedCall& call : held) EXPECT_TRUE(timed.contains(call.place.input));
}

TEST_P(RoundTest, EnduranceCallsCheckFewAndCountAll) {
  FakeRound round = enduring_round();
  const auto evidence = round.run();
  ASSERT_TRUE(evidence) << evidence.error().describe();
  for (const ProgramEvidence& program : evidence->programs) {
    const Endurance& endurance = program.endurance;
    EXPECT_GE(endurance.calls, 120);
    EXPECT_EQ(endurance.memory.size(), 12U);
    EXPECT_EQ(endurance.held.size() + 1, endurance.turns.size());
    EXPECT_EQ(endurance.late.size(), 12U + 10U);  // one a stretch, all of the last
  }
}

// Each as it was drawn first: in its value class, for the same instance.
TEST_P(RoundTest, HalfOfTheEnduranceCallsAreOnEarlierInputsWithOtherRows) {
  FakeRound round = enduring_round();
  const auto evidence = round.run();
  ASSERT_TRUE(evidence);
  std::map<std::int64_t, int> instance_of;
  for (const LoggedCall& call : round.logged("beside")) {
    instance_of[call.place.input] = call.place.instance;
  }
  std::map<std::int64_t, std::int64_t> place_of;  // in the order, by the first input
  std::set<std::int64_t> twins, others;           // of the second half
  int calls = 0;
  for (const FakeReferee::Draw& draw : round.referee.draws) {
    place_of[draw.first] = draw.at;
    if (draw.again < 0) continue;
    EXPECT_EQ(place_of.at(draw.again), draw.at);
    for (int i = 0; i < draw.count; ++i) {
      EXPECT_EQ(instance_of.at(draw.first + i), instance_of.at(draw.again + i));
      const bool is_twin = (draw.at + i) % 2 == 1;
      (is_twin ? twins : others).insert(draw.first + i);
      if (is_twin && others.contains(draw.first + i - 1)) {
        EXPECT_EQ(instance_of.at(draw.first + i), instance_of.at(draw.first + i - 1));
      }
    }
    calls += draw.count;
  }
  EXPECT_EQ(calls, 60);
  EXPECT_EQ(twins.size(), 30U);
  for (const OutputCheck& check : evidence->programs[1].endurance.late) {
    EXPECT_FALSE(others.contains(check.input));  // a twin's output is what tells
  }
}

// The referee makes a twin of the input whose number is one less, also of large inputs, which are
// few at a time.
TEST_P(RoundTest, AnInputThatIsMadeAgainHasTheNumberBehindTheOneBeforeIt) {
  for (const bool large : {false, true}) {
    FakeRound round = enduring_round(large);
    ASSERT_TRUE(round.run());
    const FakeReferee::Draw* last = nullptr;
    for (const FakeReferee::Draw& draw : round.referee.draws) {
      if (draw.again < 0) continue;
      if (last) {
        EXPECT_EQ(draw.first, last->first + last->count);
        EXPECT_EQ(draw.again, last->again + last->count);
        EXPECT_EQ(draw.at, last->at + last->count);
      }
      last = &draw;
    }
    EXPECT_NE(last, nullptr);
  }
}

// While programs are called on some inputs the referee makes the next, where nobody is called.
TEST_P(RoundTest, EnduranceInputsLieApartFromThoseBeforeThem) {
  for (const bool large : {false, true}) {
    FakeRound round = enduring_round(large);
    ASSERT_TRUE(round.run());
    std::set<std::int64_t> called;
    for (const LoggedCall& call : round.logged("beside")) called.insert(call.place.input);
    std::vector<FakeReferee::Draw> draws = round.referee.draws;
    std::erase_if(draws, [&](const auto& draw) { return !called.contains(draw.first); });
    ASSERT_GT(draws.size(), 12U);
    for (std::size_t i = 2; i < draws.size(); ++i) {  // behind those whose outputs are kept
      EXPECT_TRUE(draws[i].ends <= draws[i - 1].begins || draws[i - 1].ends <= draws[i].begins);
    }
    EXPECT_TRUE(round.referee.alive.empty());
  }
}

TEST_P(RoundTest, AFailureInEnduranceLeavesNoInputBehind) {
  FakeRound whole = enduring_round();
  ASSERT_TRUE(whole.run());
  const auto calls = [](const FakeRound& round) {
    return std::ranges::count_if(round.log, [](const LoggedCall& call) {
      const std::set<std::string> k_counted{"call", "row", "early", "uncounted", "beside"};
      return call.lane == 1 && k_counted.contains(call.kind);
    });
  };
  FakeRound round = enduring_round();
  round.programs[1].fails_at_call = static_cast<int>(calls(whole)) - 20;
  const auto evidence = round.run();
  ASSERT_TRUE(evidence) << evidence.error().describe();
  EXPECT_LT(calls(round), calls(whole));
  EXPECT_GT(round.logged("beside").size(), 0U);
  EXPECT_TRUE(round.referee.alive.empty());
}

// No call of a row tells its program whether it counts or is compared.
TEST_P(RoundTest, EveryCallOfARowIsOnAnInputOfItsOwn) {
  FakeRound round = this->round();
  ASSERT_TRUE(round.run());
  std::map<std::size_t, std::set<std::int64_t>> seen;  // by each lane, in the warm-up too
  for (const LoggedCall& call : round.logged("call")) seen[call.lane].insert(call.place.input);
  for (const LoggedCall& call : round.log) {
    if (call.kind != "row" && call.kind != "early" && call.kind != "uncounted") continue;
    EXPECT_TRUE(seen[call.lane].insert(call.place.input).second);
  }
}

TEST_P(RoundTest, SomeCallsThatDoNotCountAreCompared) {
  for (const double call_ms : {1.0, 15.0}) {
    FakeRound round = this->round();
    for (FakeProgram& program : round.programs) program.call_ms = call_ms;
    round.plan.inputs_max = 48;
    const auto evidence = round.run();
    ASSERT_TRUE(evidence);
    const auto early = round.logged("early");
    EXPECT_FALSE(early.empty());
    const ProgramEvidence& program = evidence->programs[1];
    for (const LoggedCall& call : early) {
      EXPECT_TRUE(checked_inputs(program).contains(call.place.input));
      EXPECT_FALSE(inputs_of(program.calls).contains(call.place.input));
      EXPECT_TRUE(inputs_of(program.untimed).contains(call.place.input));
    }
    EXPECT_GT(program.calls.size(), 3 * early.size() / 2);
  }
}

TEST(RoundInRows, AProgramThatDoesNothingShowsWhatAnExchangeCosts) {
  FakeRound round = read_in_place();
  const auto evidence = round.run();
  ASSERT_TRUE(evidence);
  EXPECT_EQ(evidence->exchanges_ns, (std::vector<std::int64_t>{10000}));
}

}  // namespace
}  // namespace cupel::measure
