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
constexpr double k_process_sigma = 0.02;  // the most that docs/statistics.md speaks for
constexpr int k_noisy_searches = 20;
constexpr double k_noisy_process_sigma = 0.06;

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

// What searches among equals came to, all together.
struct Sum {
  int leads = 0;  // judgements that called a program faster
  int audits = 0;
  int winners = 0;
};

Sum searches_of(int count, double process_sigma) {
  const RunRequest request = search_among_equals();
  Sum sum;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(count); ++seed) {
    const TempDir directory = scratch();
    const FakeClock clock;
    journal::Journal journal = open_or_die(directory.path(), clock);
    NoisyEvaluator evaluator(process_sigma, seed, k_repeat_in_search);
    SilentSink sink;
    const auto record = run(request, evaluator, journal, sink);
    EXPECT_TRUE(record) << (record ? "" : record.error().describe());
    if (!record) continue;
    for (const Judged& judged : record->judged) {
      sum.leads += judged.verdict.outcome == Outcome::faster ? 1 : 0;
    }
    sum.audits += evaluator.audits;
    sum.winners += record->winner_id.empty() ? 0 : 1;
  }
  return sum;
}

TEST(FalseGain, OfManyEqualProgramsNoneWins) {
  const Sum sum = searches_of(k_searches, k_process_sigma);
  EXPECT_GT(sum.leads, 0) << "noise that never deceives a search tests nothing";
  EXPECT_LT(sum.leads, k_searches * k_programs / 50);
  // One search in a hundred gets a program through its final round.
  EXPECT_LE(sum.audits, k_searches / 15);
  EXPECT_EQ(sum.winners, 0);
}

// Under noise that deceives the final round too, the audit is one more judgement, and not a word
// for what has come so far.
TEST(FalseGain, OfThoseThatAreAuditedMostFail) {
  const Sum sum = searches_of(k_noisy_searches, k_noisy_process_sigma);
  EXPECT_GE(sum.audits, k_noisy_searches / 10) << sum.leads;
  EXPECT_LE(4 * sum.winners, sum.audits) << sum.leads;
}

}  // namespace
}  // namespace cupel::engine
