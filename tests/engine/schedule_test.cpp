#include "engine/plan/schedule.h"

#include <gtest/gtest.h>

#include "engine/plan/durations.h"
#include "engine/scripted_search.h"
#include "journal/reader.h"
#include "search/portfolio.h"
#include "search/seeded.h"

namespace cupel::engine {
namespace {

using Kind = Proposal::Kind;

journal::OpenProposal waiting(const std::string& id, Kind kind, int number,
                              const std::string& label = "") {
  journal::OpenProposal open;
  open.proposal.id = id;
  open.proposal.kind = kind;
  open.proposal.label = label;
  open.candidate.id = "candidate of " + id;
  open.candidate_number = number;
  return open;
}

Judged judged(Kind kind, double seconds) {
  Judged entry;
  entry.proposal.kind = kind;
  entry.seconds = seconds;
  return entry;
}

std::string order_of(const journal::RunState& state, double seconds_left, double now_s = 0) {
  std::vector<journal::OpenProposal> ready = state.open;
  std::erase_if(ready, [](const auto& open) { return open.candidate.id.empty(); });
  std::string ids;
  for (const auto& open : measuring_order(state, ready, now_s, seconds_left)) {
    ids += open.proposal.id + " ";
  }
  return ids;
}

TEST(Schedule, WhatWasBoughtGoesBeforeWhatIsFree) {
  journal::RunState state;
  state.open = {waiting("s1", Kind::seed, 1), waiting("s2", Kind::seed, 2),
                waiting("w1", Kind::write, 3), waiting("t1", Kind::tune, 4),
                waiting("f1", Kind::file, 5)};
  state.record.judged = {judged(Kind::seed, 10), judged(Kind::write, 10)};
  EXPECT_EQ(order_of(state, 1e9), "f1 w1 t1 ");
  std::erase_if(state.open, [](const auto& open) { return open.proposal.kind == Kind::write; });
  EXPECT_EQ(order_of(state, 1e9), "f1 t1 s1 s2 ");
}

TEST(Schedule, SeedsHaveAShareOfTheTime) {
  journal::RunState state;
  state.open = {waiting("s1", Kind::seed, 1), waiting("w1", Kind::write, 2),
                waiting("f1", Kind::file, 3)};
  state.record.judged = {judged(Kind::seed, 10), judged(Kind::write, 100)};
  EXPECT_EQ(order_of(state, 1e9), "f1 s1 w1 ");
  EXPECT_EQ(order_of(state, 105 + 400), "f1 w1 ") << "not what the bought program needs";
}

TEST(Schedule, ASeedThatCompilesForLongWaitsForWhatIsBought) {
  journal::RunState state;
  state.seeds = {{"max-autotune", "", "", 300}};
  state.open = {waiting("s1", Kind::seed, 1, "max-autotune"), waiting("w1", Kind::write, 2)};
  EXPECT_EQ(order_of(state, 200), "w1 ");
  state.open.pop_back();
  EXPECT_EQ(order_of(state, 200), "s1 ") << "nobody else needs the time";
}

// A question under way, sent when the run had worked for `asked_s`.
journal::OpenProposal asked(Kind kind, double asked_s) {
  journal::OpenProposal open;
  open.proposal.kind = kind;
  open.provider = "scripted";
  open.asked = journal::Reservation{};
  open.asked->asked_ns = static_cast<std::int64_t>(asked_s * k_ns_per_s);
  return open;
}

TEST(Schedule, ASeedIsMeasuredBeforeAnAnswerIsDueOrWaitsForIt) {
  journal::RunState state;
  state.seeds = {{"long", "", "", 50}, {"short", "", "", 5}};
  state.answers[{"scripted", Kind::write}].seconds = {40, 40, 40};
  state.open = {waiting("s1", Kind::seed, 1, "long"), waiting("s2", Kind::seed, 2, "short"),
                asked(Kind::write, 100)};
  EXPECT_EQ(order_of(state, 1e9, 101), "s2 ") << "39 s are left";
  EXPECT_EQ(order_of(state, 1e9, 139), "") << "a second is left";
  EXPECT_EQ(order_of(state, 1e9, 150), "s2 ") << "it is late, so nothing is known of it";
  EXPECT_EQ(order_of(state, 1e9, 200), "s1 s2 ") << "nothing waits for good";
  state.open.back() = asked(Kind::brainstorm, 100);
  EXPECT_EQ(order_of(state, 1e9, 101), "s1 s2 ") << "ideas have to be written first";
  state.open.pop_back();
  EXPECT_EQ(order_of(state, 1e9, 101), "s1 s2 ") << "nothing is asked";
}

TEST(Schedule, ASeedOfItsShareWaitsForNoAnswer) {
  journal::RunState state;
  state.seeds = {{"long", "", "", 50}};
  state.open = {waiting("s1", Kind::seed, 1, "long"), asked(Kind::write, 0)};
  state.record.judged = {judged(Kind::write, 100)};
  EXPECT_EQ(order_of(state, 1e9, 60), "");
  state.record.judged = {judged(Kind::write, 100), judged(Kind::write, 100)};
  EXPECT_EQ(order_of(state, 1e9, 60), "s1 ");
}

TEST(Schedule, ASlowMachineCompilesForLonger) {
  journal::RunState state;
  state.seeds = {{"first", "", "", 10}, {"second", "", "", 20}};
  Proposal second;
  second.kind = Kind::seed;
  second.label = "second";
  EXPECT_EQ(seed_s(state, second), 3 + 20);
  state.record.judged = {judged(Kind::seed, 4), judged(Kind::seed, 64)};
  state.record.judged.back().proposal.label = "first";
  EXPECT_EQ(seed_s(state, second), 4 + 6 * 20);
}

TEST(Schedule, LittleIsBoughtBeforeAJudgementWasSeen) {
  journal::RunState state;
  state.open = {waiting("w1", Kind::write, 1), waiting("w2", Kind::write, 2)};
  EXPECT_TRUE(must_wait(state, 1e3));
  EXPECT_FALSE(must_wait(state, std::numeric_limits<double>::infinity()));
  state.record.judged = {judged(Kind::seed, 3)};
  EXPECT_FALSE(must_wait(state, 1e3));
}

TEST(Schedule, NoQuestionWhoseAnswerCannotBeJudged) {
  ScriptedProvider provider({});
  Proposal write, ideas;
  write.kind = Kind::write;
  ideas.kind = Kind::brainstorm;
  journal::RunState state;
  state.answers[{"scripted", Kind::write}].seconds = {40, 40, 40};
  state.record.judged = {judged(Kind::write, 9)};
  const double end_s = 4 * 9;
  EXPECT_EQ(too_late_for(state, provider, write, 40 + 18 + end_s), "");
  EXPECT_NE(too_late_for(state, provider, write, 40 + 17 + end_s).find("answer takes about 40 s"),
            std::string::npos);
  EXPECT_EQ(too_late_for(state, provider, ideas, 80 + 18 + end_s), "");
  EXPECT_NE(too_late_for(state, provider, ideas, 80 + 17 + end_s), "") << "ideas alone";
  for (int i = 0; i < 6; ++i) state.open.push_back(waiting("w", Kind::write, i + 1));
  EXPECT_EQ(too_late_for(state, provider, write, 6 * 9 + 18 + end_s), "");
  EXPECT_NE(too_late_for(state, provider, write, 6 * 9 + 17 + end_s), "") << "six are before it";
}

// A search by the minute, with seeds that alone would take all of it.
struct Minutes {
  double minutes = 2;
  double answer_s = 15;
  double answer_s_max = 15;
  double measure_s = 6;
  int seeds = 40;
  std::uint64_t seed = 1;
};

struct Tally {
  RunRecord record;
  int asked = 0;
  int bought = 0;
  int judged = 0;
  int named = 0;
  int faults = 0;
};

class TimedSearch : public testing::Test {
 protected:
  Tally search(const Minutes& timing) {
    directory_ = scratch();
    clock_ = std::make_unique<FakeClock>();
    return sit(timing, false);
  }
  Tally resumed(const Minutes& timing) { return sit(timing, true); }

 private:
  static RunRequest request_of(const Minutes& timing) {
    RunRequest request = search_request(500);
    request.options.minutes_max = timing.minutes;
    std::vector<Seed> seeds;
    for (int i = 0; i < timing.seeds; ++i) {
      seeds.push_back({"seed " + std::to_string(i), "seed", "# seed " + std::to_string(i), 0});
    }
    request.seed_source = [seeds](const TaskFacts&) { return seeds; };
    request.strategy_source =
        [](const journal::RunState& state) -> Result<std::unique_ptr<search::Strategy>> {
      return std::make_unique<search::Seeded>(search::Portfolio({}, state.seeds),
                                              std::make_unique<Breeder>(500));
    };
    return request;
  }

  Tally sit(const Minutes& timing, bool again) {
    journal::Journal journal = open_or_die(directory_.path(), *clock_);
    ScriptedAgentsSettings settings;
    settings.seed = timing.seed;
    settings.seconds_min = timing.answer_s;
    settings.seconds_max = timing.answer_s_max;
    settings.nano_usd_max = 100'000'000;
    settings.concurrency_max = 4;
    ScriptedProvider provider(settings);
    Tally tally;
    provider.on_ask = [&](const Prompt&) { ++tally.asked; };
    const Agents agents = scripted_agents(provider);
    ScriptedEvaluator evaluator = evaluator_of(7);
    SimulatedLanesSettings work;
    work.asks_max = 4;
    work.measure_s = [&](const std::string&) { return timing.measure_s; };
    SimulatedLanes lanes(work, evaluator, agents, *clock_);
    SilentSink sink;
    const Means means(evaluator, agents, &lanes);
    auto record =
        again ? resume(means, journal, sink) : run(request_of(timing), means, journal, sink);
    if (!record) throw std::runtime_error(record.error().describe());
    tally.record = *record;
    for (const Judged& entry : record->judged) {
      const bool is_program = asks_agent(entry.proposal.kind) && !entry.candidate.id.empty();
      tally.bought += is_program;
      tally.judged += is_program;
    }
    for (const Unmeasured& left : record->unmeasured) {
      tally.bought += !left.candidate_id.empty();
      tally.named += !left.candidate_id.empty();
    }
    EXPECT_EQ(tally.bought, events_in(journal.directory(), journal::kind::k_parsed));
    tally.faults = events_in(journal.directory(), journal::kind::k_faulted);
    return tally;
  }

  static int events_in(const std::filesystem::path& directory, std::string_view kind) {
    int count = 0;
    const auto events = journal::read_events(directory, false);
    for (const journal::Event& event : *events) count += event.kind == kind;
    return count;
  }

  TempDir directory_ = scratch();
  std::unique_ptr<FakeClock> clock_;
};

TEST_F(TimedSearch, WithinAMinuteOrTwoAllThatWasBoughtIsJudged) {
  for (const double minutes : {1.5, 2.0, 5.0}) {
    const Tally tally = search({.minutes = minutes});
    EXPECT_GT(tally.judged, 0) << minutes;
    EXPECT_EQ(tally.judged + tally.named, tally.bought) << minutes;
    EXPECT_LE(tally.named, tally.faults) << "what fails by our fault is measured twice";
    EXPECT_TRUE(tally.record.finished);
  }
}

TEST_F(TimedSearch, WhoMeasuresForLongerThanAgentsWriteBuysOnlyWhatFits) {
  const Tally tally = search({.minutes = 3, .answer_s = 5, .answer_s_max = 5, .measure_s = 20});
  EXPECT_GE(tally.judged, 1);
  EXPECT_EQ(tally.judged, tally.bought);
  EXPECT_NE(tally.record.search_end, "");
}

// Answers between 5 s and a minute: some come too late to be judged. They are named, and judged
// first when the run is taken up again.
TEST_F(TimedSearch, WhatIsLeftIsNamedAndJudgedByResume) {
  int left = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Minutes timing{
        .minutes = 2, .answer_s = 5, .answer_s_max = 60, .measure_s = 9, .seed = seed};
    const Tally tally = search(timing);
    EXPECT_EQ(tally.judged + tally.named, tally.bought) << seed;
    left += tally.named;
    if (tally.named == 0) continue;
    EXPECT_TRUE(tally.record.finished);
    EXPECT_TRUE(tally.record.left_programs());
    const Tally later = resumed(timing);
    EXPECT_EQ(later.asked, 0) << "nothing is bought with what is judged";
    EXPECT_TRUE(later.record.finished);
    EXPECT_EQ(later.judged, tally.bought);
    EXPECT_FALSE(later.record.left_programs());
    EXPECT_FALSE(later.record.table.rows.empty());
  }
  EXPECT_GT(left, 0) << "no seed of these leaves anything";
}

}  // namespace
}  // namespace cupel::engine
