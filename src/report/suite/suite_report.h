// Many runs as one result: strategies compared over tasks. Pure; thread-safe. docs/json.md
// describes the machine's version.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/run.h"
#include "report/words/style.h"
#include "stats/interval.h"

namespace cupel::report {

// One task under one strategy. Several runs, where later ones went on from the winner of the one
// before, are one entry: the last run's table counts, and all that they cost.
struct SuiteEntry {
  std::string strategy;
  std::string task;
  std::vector<RunRecord> runs;  // in order; empty where no run came about
  std::string problem;          // why there is none, or why the last one ended early
};

// A row of the per-task table. Speedups are those of the shipped program in the final round; the
// original, which a user keeps where nothing is faster, has 1.
struct SuiteRow {
  std::string strategy;
  std::string task;
  std::string run_id;                 // of the last run
  std::string state;                  // "finished", "unfinished", "degenerate", "failed"
  std::string level;                  // the directory that its file lies in: "level2"
  std::string mode;                   // of the model: "as_constructed", "inference"
  std::string winner;                 // label; empty: the original
  std::string origin;                 // of the winner: "free", "bought" or "yours"
  bool correct = false;               // a candidate other than the original computed the same
  double best_correct = 0;            // ratio over eager of the fastest correct one; 0: none
  std::optional<Ratio> over_eager;    // nothing where the run has no final table
  std::optional<Ratio> over_compile;  // ... or torch.compile has no time in it
  std::optional<Ratio> over_free;     // ... 1 where no free variant beats eager or one has won
  double cost_usd = 0;
  std::int64_t queries = 0;
  double wall_s = 0;
  int candidates = 0;
  std::string problem;
};

struct Estimate {
  double value = 0;
  stats::Interval interval;  // 95 %, by resampling tasks
  int tasks = 0;             // that it rests on; 0: there is no value
};

// What had been found after that much, over all tasks that count.
struct CurvePoint {
  double spent = 0;    // dollars or queries a task
  double geomean = 1;  // of the best ratio over eager so far, at least 1
};

// The tasks of one directory.
struct LevelScore {
  std::string level;
  int tasks = 0;
  Estimate over_eager;
  Estimate fast_1;
};

struct SuiteScore {
  std::string strategy;
  int tasks = 0;                        // that count: finished, and not degenerate unless asked for
  int unfinished = 0;                   // left out
  int degenerate = 0;                   // left out, unless asked for
  int failed = 0;                       // left out
  std::vector<Estimate> fast_p;         // at the thresholds of k_fast_p
  std::vector<Estimate> fast_p_bought;  // of winners that an agent wrote, or that descend from one
  std::vector<Estimate> fast_p_point;   // as KernelBench and PIKE count
  std::vector<LevelScore> levels;       // where tasks lie in several directories
  std::map<std::string, int> outcomes;  // of the programs that agents wrote
  Estimate over_eager;                  // geometric means with floor 1
  Estimate over_compile;
  Estimate over_free;
  Estimate over_eager_raw;  // without the floor, of the fastest correct candidates
  double cost_usd = 0;
  std::int64_t queries = 0;
  double wall_s = 0;
  std::vector<CurvePoint> over_cost;
  std::vector<CurvePoint> over_queries;
};

// Thresholds of fast_p: the share of tasks whose winner is, by its whole interval in the final
// round, faster than p times the original; the original itself counts for none. At 0: the share of
// tasks for which a candidate computed the same. By point: the share of tasks whose fastest correct
// candidate's estimate exceeds p, whatever its interval.
inline constexpr double k_fast_p[] = {0, 1, 1.5, 2};

struct Suite {
  std::string name;
  std::vector<SuiteScore> scores;  // in the order of the strategies' first entries
  std::vector<SuiteRow> rows;      // in the order of the entries
};

// `with_degenerate`: degenerate tasks count like the others.
Suite make_suite(std::string name, std::span<const SuiteEntry> entries, bool with_degenerate);

std::string suite_text(const Suite& suite, const Style& style);
std::string suite_json(const Suite& suite);
// One line a task and strategy, with a header; RFC 4180.
std::string suite_csv(const Suite& suite);
// One line a candidate that was judged; and one a gain: what was spent on the task until then.
std::string suite_candidates_csv(std::span<const SuiteEntry> entries);
std::string suite_curves_csv(std::span<const SuiteEntry> entries);

}  // namespace cupel::report
