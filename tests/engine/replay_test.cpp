#include "engine/rehearse/replay.h"

#include <gtest/gtest.h>

#include "engine/scripted_search.h"

namespace cupel::engine {
namespace {

constexpr std::uint64_t k_runs = 100;

// A run in a random world, sometimes broken off and taken up again.
void record_run(const std::filesystem::path& directory, std::uint64_t seed,
                const RunRequest& request) {
  Rng rng(seed);
  const RandomWorld world(seed);
  FakeClock clock;
  for (int sitting = 0; sitting < 4; ++sitting) {
    journal::Journal journal = open_or_die(directory, clock);
    const auto appends_max = sitting < 3 ? rng.below(200) : UINT64_MAX;
    std::uint64_t appends = 0;
    journal.on_append([&](std::string_view) -> Status {
      if (++appends > appends_max) return infra_error("the simulated crash");
      return {};
    });
    static_cast<void>(sit_in(world, request, journal, clock));
    clock.advance_ns(1'000'000'000);
  }
}

RunRequest request_of(std::uint64_t seed) {
  RunRequest request = search_request(20);
  request.options.seed = seed;
  request.options.nano_usd_max = 2'000'000'000;
  if (seed % 3 == 0) request.options.minutes_max = 5;
  return request;
}

TEST(Replay, RecordedRunsDecideTheSame) {
  int steps = 0;
  int ended = 0;
  for (std::uint64_t seed = 1; seed <= k_runs; ++seed) {
    const TempDir directory = scratch();
    const RunRequest request = request_of(seed);
    record_run(directory.path(), seed, request);
    const auto replayed = replay(directory.path(), request.strategy_source);
    ASSERT_TRUE(replayed) << replayed.error().describe();
    ASSERT_EQ(replayed->difference, "") << "seed " << seed;
    steps += replayed->steps;
    ended += replayed->ended;
  }
  EXPECT_GT(steps, static_cast<int>(k_runs));
  EXPECT_GT(ended, 0);
}

TEST(Replay, FindsTheFirstDifference) {
  const TempDir directory = scratch();
  RunRequest request = search_request(20);
  record_run(directory.path(), 5, request);
  const auto replayed = replay(directory.path(), breeder(19));
  ASSERT_TRUE(replayed) << replayed.error().describe();
  EXPECT_NE(replayed->difference.find("the replay proposes nothing more"), std::string::npos)
      << replayed->difference;
}

TEST(Replay, ARunOfFreeVariantsReplaysToo) {
  const TempDir directory = scratch();
  const RunRequest request = scripted_request(9);
  const SystemClock clock;
  journal::Journal journal = open_or_die(directory.path(), clock);
  ScriptedEvaluator evaluator(make_script(5, candidates_of(request)));
  SilentSink sink;
  ASSERT_TRUE(run(request, evaluator, journal, sink));
  const auto replayed = replay(directory.path());
  ASSERT_TRUE(replayed) << replayed.error().describe();
  EXPECT_EQ(replayed->difference, "");
  EXPECT_EQ(replayed->proposals, 9);
  EXPECT_TRUE(replayed->ended);
}

}  // namespace
}  // namespace cupel::engine
