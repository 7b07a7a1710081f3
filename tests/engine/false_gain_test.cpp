// A whole search among programs that are all equal to the reference, or to the best free variant:
// many are judged, the luckiest goes into the final round, and what wins there is audited.
// docs/statistics.md derives how often one wins in the end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numbers>

#include "engine/evaluate/real_evaluator.h"
#include "engine/noisy_evaluator.h"
#include "engine/scripted_run.h"

namespace cupel::engine {
namespace {

// $CUPEL_SEARCHES: as many, for the figures of docs/statistics.md.
const int k_searches =
    std::getenv("CUPEL_SEARCHES") ? std::atoi(std::getenv("CUPEL_SEARCHES")) : 30;
constexpr int k_programs = 60;
constexpr double k_process_sigma = 0.02;  // the most that docs/statistics.md speaks for
constexpr int k_noisy_searches = 20;
constexpr double k_noisy_process_sigma = 0.06;
constexpr double k_free_speedup = 1.3;
// Two programs that differ so much from the reference differ by k_process_sigma from each other.
constexpr double k_sigma_of_each = k_process_sigma / std::numbers::sqrt2;

RunRequest search_among_equals(const std::vector<Seed>& free_variants) {
  RunRequest request;
  request.run_id = "equals";
  request.task.id = std::string(64, 'b');
  request.task.name = "equals";
  for (int i = 0; i < k_programs; ++i) {
    const std::string name = "p" + std::to_string(i);
    request.files.push_back(make_candidate("# " + name + "\nclass ModelNew:\n    pass\n", name));
  }
  request.seed_source = [free_variants](const TaskFacts&) { return free_variants; };
  return request;
}

// What searches among equals came to, all together.
struct Sum {
  int leads = 0;  // judgements that called a program faster
  int audits = 0;
  int winners = 0;
  int free_winners = 0;
};

bool is_file_of(const RunRequest& request, const std::string& id) {
  return std::any_of(request.files.begin(), request.files.end(),
                     [&](const Candidate& file) { return file.id == id; });
}

Sum searches_of(int count, double process_sigma, double speedup = 1,
                const std::vector<Seed>& free_variants = {}) {
  const RunRequest request = search_among_equals(free_variants);
  Sum sum;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(count); ++seed) {
    const TempDir directory = scratch();
    const FakeClock clock;
    journal::Journal journal = open_or_die(directory.path(), clock);
    NoisyEvaluator evaluator(speedup, process_sigma, seed, k_repeat_in_search);
    SilentSink sink;
    const auto record = run(request, evaluator, journal, sink);
    EXPECT_TRUE(record) << (record ? "" : record.error().describe());
    if (!record) continue;
    for (const Judged& judged : record->judged) {
      sum.leads += judged.verdict.outcome == Outcome::faster ? 1 : 0;
    }
    sum.audits += evaluator.audits;
    if (record->winner_id.empty()) continue;
    ++(is_file_of(request, record->winner_id) ? sum.winners : sum.free_winners);
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
  RecordProperty("audits", sum.audits);
}

// Under noise that deceives the final round too, the audit is one more judgement, and not a word
// for what has come so far.
TEST(FalseGain, OfThoseThatAreAuditedMostFail) {
  const Sum sum = searches_of(k_noisy_searches, k_noisy_process_sigma);
  EXPECT_GE(sum.audits, k_noisy_searches / 10) << sum.leads;
  EXPECT_LE(4 * sum.winners, sum.audits) << sum.leads;
}

// The audit has no free variant beside the winner: what is as fast as the best one, and is told
// from it by noise, is found in the final round alone.
TEST(FalseGain, OfManyThatEqualTheBestFreeVariantFewWin) {
  const std::vector<Seed> free_variants{
      {"free", "a free variant", "# free\nclass ModelNew:\n    pass\n"}};
  const Sum sum = searches_of(k_searches, k_sigma_of_each, k_free_speedup, free_variants);
  EXPECT_GT(sum.leads, k_searches * k_programs * 9 / 10) << "they are faster than the reference";
  EXPECT_GE(sum.free_winners, k_searches * 9 / 10);
  EXPECT_LE(sum.winners, k_searches / 10) << "of 1 % each, more than three of 30 are 2e-4";
  RecordProperty("winners", sum.winners);
}

}  // namespace
}  // namespace cupel::engine
