#include <algorithm>
#include <map>
#include <utility>

#include "report/suite/suite_rows.h"
#include "stats/score.h"

namespace cupel::report {
namespace {

constexpr double k_confidence = 0.95;
constexpr std::uint64_t k_resampling_seed = 1;  // equal suites give equal intervals

Estimate estimate_geomean(std::vector<double> values, double floor) {
  if (values.empty()) return {};
  for (double& value : values) value = std::max(value, floor);
  return {stats::geomean(values), stats::bootstrap_geomean(values, k_confidence, k_resampling_seed),
          static_cast<int>(values.size())};
}

// Of ratios with floor 1; rows without one do not count.
Estimate estimate_over(std::span<const SuiteRow* const> rows,
                       std::optional<Ratio> SuiteRow::*opponent) {
  std::vector<double> values;
  for (const SuiteRow* row : rows) {
    if (row->*opponent) values.push_back((row->*opponent)->ratio);
  }
  return estimate_geomean(std::move(values), 1);
}

Estimate estimate_raw(std::span<const SuiteRow* const> rows) {
  std::vector<double> values;
  for (const SuiteRow* row : rows) {
    if (row->best_correct > 0) values.push_back(row->best_correct);
  }
  return estimate_geomean(std::move(values), 0);
}

// The share of rows of which `is_fast` holds.
template <class Test>
Estimate estimate_share(std::span<const SuiteRow* const> rows, Test is_fast) {
  std::vector<double> fast;
  for (const SuiteRow* row : rows) fast.push_back(is_fast(*row) ? 1 : 0);
  if (fast.empty()) return {};
  return {stats::fast_p(fast, 0), stats::bootstrap_mean(fast, k_confidence, k_resampling_seed),
          static_cast<int>(fast.size())};
}

bool is_fast(const SuiteRow& row, double p) {
  if (p <= 0) return row.correct;
  return !row.winner.empty() && row.over_eager && row.over_eager->low > p;
}

void estimate_fast(std::span<const SuiteRow* const> rows, double p, SuiteScore& score) {
  score.fast_p.push_back(
      estimate_share(rows, [p](const SuiteRow& row) { return is_fast(row, p); }));
  score.fast_p_bought.push_back(estimate_share(
      rows, [p](const SuiteRow& row) { return row.origin == "bought" && is_fast(row, p); }));
  score.fast_p_point.push_back(
      estimate_share(rows, [p](const SuiteRow& row) { return row.best_correct > p; }));
}

std::vector<LevelScore> levels_of(std::span<const SuiteRow* const> rows) {
  std::map<std::string, std::vector<const SuiteRow*>> levels;
  for (const SuiteRow* row : rows) levels[row->level].push_back(row);
  std::vector<LevelScore> scores;
  if (levels.size() < 2) return scores;
  for (const auto& [level, members] : levels) {
    scores.push_back(
        {level, static_cast<int>(members.size()), estimate_over(members, &SuiteRow::over_eager),
         estimate_share(members, [](const SuiteRow& row) { return is_fast(row, 1); })});
  }
  return scores;
}

void count_outcomes(const SuiteEntry& entry, SuiteScore& score) {
  for (const RunRecord& run : entry.runs) {
    for (const Judged& judged : run.judged) {
      if (origin_of(judged.proposal) != "bought") continue;
      ++score.outcomes[std::string(to_string(judged.verdict.outcome))];
    }
  }
}

void count(const SuiteRow& row, SuiteScore& score) {
  score.unfinished += row.state == "unfinished" ? 1 : 0;
  score.degenerate += row.state == "degenerate" ? 1 : 0;
  score.failed += row.state == "failed" ? 1 : 0;
  score.cost_usd += row.cost_usd;
  score.queries += row.queries;
  score.wall_s += row.wall_s;
}

bool counts(const SuiteRow& row, bool with_degenerate) {
  const bool usable = row.state == "finished" || (with_degenerate && row.state == "degenerate");
  return usable && row.over_eager.has_value();
}

void estimate(std::span<const SuiteRow* const> rows, SuiteScore& score) {
  score.tasks = static_cast<int>(rows.size());
  for (const double p : k_fast_p) estimate_fast(rows, p, score);
  score.levels = levels_of(rows);
  score.over_eager = estimate_over(rows, &SuiteRow::over_eager);
  score.over_compile = estimate_over(rows, &SuiteRow::over_compile);
  score.over_free = estimate_over(rows, &SuiteRow::over_free);
  score.over_eager_raw = estimate_raw(rows);
}

SuiteScore score_of(const std::string& strategy, const Suite& suite,
                    std::span<const SuiteEntry> entries, bool with_degenerate) {
  SuiteScore score;
  score.strategy = strategy;
  std::vector<const SuiteRow*> rows;
  std::vector<Progression> progressions;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const SuiteRow& row = suite.rows[i];
    if (row.strategy != strategy) continue;
    count(row, score);
    count_outcomes(entries[i], score);
    if (!counts(row, with_degenerate)) continue;
    rows.push_back(&row);
    progressions.push_back(progression_of(entries[i]));
  }
  estimate(rows, score);
  score.over_cost = curve_over_cost(progressions);
  score.over_queries = curve_over_queries(progressions);
  return score;
}

std::vector<std::string> strategies_of(std::span<const SuiteEntry> entries) {
  std::vector<std::string> names;
  for (const SuiteEntry& entry : entries) {
    if (std::ranges::find(names, entry.strategy) == names.end()) names.push_back(entry.strategy);
  }
  return names;
}

}  // namespace

Suite make_suite(std::string name, std::span<const SuiteEntry> entries, bool with_degenerate) {
  Suite suite;
  suite.name = std::move(name);
  for (const SuiteEntry& entry : entries) suite.rows.push_back(suite_row(entry));
  for (const std::string& strategy : strategies_of(entries)) {
    suite.scores.push_back(score_of(strategy, suite, entries, with_degenerate));
  }
  return suite;
}

}  // namespace cupel::report
