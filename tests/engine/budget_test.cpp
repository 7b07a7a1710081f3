#include "engine/plan/budget.h"

#include <gtest/gtest.h>

#include "engine/scripted_search.h"

namespace cupel::engine {
namespace {

constexpr int k_runs = 1'000;

void expect_within(const journal::RunState& state, std::uint64_t seed) {
  const RunOptions& options = state.record.options;
  ASSERT_LE(state.nano_usd_spent, options.nano_usd_max) << "seed " << seed;
  ASSERT_LE(state.record.queries, options.queries_max) << "seed " << seed;
}

RunRequest random_request(Rng& rng) {
  RunRequest request = search_request(1 + static_cast<int>(rng.below(40)));
  request.options.nano_usd_max = static_cast<std::int64_t>(1 + rng.below(3'000'000'000));
  request.options.queries_max = 1 + static_cast<std::int64_t>(rng.below(40));
  request.options.slots = 1 + static_cast<int>(rng.below(20));
  request.options.seed = rng.next();
  return request;
}

// Prices, delays, failures and lanes at random; also what is spent and kept back together is
// looked at after every event.
TEST(Budget, IsNeverExceeded) {
  std::int64_t spent = 0;
  int finished = 0;
  for (std::uint64_t seed = 1; seed <= k_runs; ++seed) {
    const TempDir directory = scratch();
    FakeClock clock;
    journal::Journal journal = open_or_die(directory.path(), clock);
    journal.on_append([&](std::string_view) -> Status {
      const journal::RunState& state = journal.state();
      if (!state.started) return {};
      std::int64_t committed = state.nano_usd_spent;
      for (const auto& open : state.open) committed += open.asked ? open.asked->nano_usd_max : 0;
      EXPECT_LE(committed, state.record.options.nano_usd_max) << "seed " << seed;
      return {};
    });
    Rng rng(seed);
    const RandomWorld world(rng.next());
    const auto record = sit_in(world, random_request(rng), journal, clock);
    expect_within(journal.state(), seed);
    if (HasFailure()) return;
    spent += journal.state().nano_usd_spent;
    finished += record && record->finished;
  }
  EXPECT_GT(spent, 0);
  EXPECT_GT(finished, k_runs * 9 / 10);
}

TEST(Budget, TheLedgerKeepsBackWhatIsUnderWay) {
  journal::RunState state;
  state.record.options.nano_usd_max = 100;
  state.record.options.queries_max = 10;
  state.nano_usd_spent = 30;
  state.record.queries = 4;
  state.open.resize(2);
  state.open[0].proposal.id = "p0001";
  state.open[0].asked = journal::Reservation{25, 1};
  const llm::Ledger ledger = ledger_of(state);
  EXPECT_EQ(ledger.nano_usd_left(), 45);
  EXPECT_EQ(ledger.queries_left(), 5);
  EXPECT_DOUBLE_EQ(budget_of(state).usd_left, 45e-9);
}

TEST(Budget, StandsStillBetweenEvents) {
  journal::RunState state;
  state.record.options.minutes_max = 2;
  state.record.wall_s = 30;
  EXPECT_DOUBLE_EQ(budget_of(state).seconds_left, 90);
  EXPECT_EQ(budget_of(state).slots, std::numeric_limits<int>::max());
}

}  // namespace
}  // namespace cupel::engine
