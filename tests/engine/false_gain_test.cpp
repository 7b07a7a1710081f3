// A whole search among programs that are all equal to the reference: many are judged, the luckiest
// goes into the final round, and what wins there is audited. docs/statistics.md derives how often
// one wins in the end.
#include <gtest/gtest.h>

#include "engine/evaluate/real_evaluator.h"
#include "engine/noisy_evaluator.h"
#include "engine/scripted_run.h"

namespace cupel::engine {
namespace {

constexpr int k_searches = 30;
constexpr int k_programs = 60;
constexpr double k_process_sigma_seen_at_most = 0.02;

RunRequest search_among_equals() {
  RunRequest request;
  request.run_id = "equals";
  request.task.id = std::string(64, 'b');
  request.task.name = "equals";
  for (int i = 0; i < k_programs; ++i) {
    const std::string name = "p" + std::to_string(i);
    request.files.push_back(make_candidate("# " + name + "\nclass ModelNew:\n    pass\n", name));
  }
  request.seed_source = [](const TaskFacts&) { return std::vector<Seed>(); };
  return request;
}

TEST(FalseGain, OfManyEqualProgramsNoneWins) {
  const RunRequest request = search_among_equals();
  int leads = 0, audits = 0;
  for (std::uint64_t seed = 1; seed <= k_searches; ++seed) {
    const TempDir directory = scratch();
    const FakeClock clock;
    journal::Journal journal = open_or_die(directory.path(), clock);
    NoisyEvaluator evaluator(k_process_sigma_seen_at_most, seed, k_repeat_in_search);
    SilentSink sink;
    const auto record = run(request, evaluator, journal, sink);
    ASSERT_TRUE(record) << record.error().describe();
    EXPECT_EQ(record->winner_id, "") << seed;
    for (const Judged& judged : record->judged) {
      leads += judged.verdict.outcome == Outcome::faster ? 1 : 0;
    }
    audits += evaluator.audits;
  }
  RecordProperty("called_faster", leads);
  RecordProperty("audits", audits);
  EXPECT_GT(leads, 0) << "noise that never deceives a search tests nothing";
  EXPECT_LT(leads, k_searches * k_programs / 50);
}

}  // namespace
}  // namespace cupel::engine
