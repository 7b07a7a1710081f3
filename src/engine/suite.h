// Many tasks under several strategies, with a budget that the tasks of a strategy share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "model/run.h"
#include "report/suite/suite_report.h"

namespace cupel::engine {

// Part of a budget; 0: no limit.
struct Allotment {
  std::int64_t nano_usd = 0;  // 1e-9 dollars
  std::int64_t queries = 0;
  double minutes = 0;
};

struct SuitePlan {
  std::filesystem::path directory;
  std::vector<std::string> tasks;       // names, each once
  std::vector<std::string> strategies;  // each once
  Allotment budget;                     // of each strategy, for all its tasks together
};

// One run to make, or to go on with, or to read if it has finished.
struct SuiteJob {
  std::size_t task = 0;  // index into the plan's
  std::string strategy;
  int part = 1;                     // 2, ...: goes on where the part before it has ended
  std::filesystem::path directory;  // of the run
  Allotment allotment;              // of this run; one that has begun keeps the one it began with
  std::string start_file;           // candidate that a later part starts from; empty: none
};

// Makes the run. An Error of the environment ends the suite; any other, this task.
using RunJob = std::function<Result<RunRecord>(const SuiteJob& job)>;

// A task gets this many runs at most.
inline constexpr int k_parts_max = 4;
// What is left is not handed out any more when it is less than this part of a task's first share.
inline constexpr double k_worthwhile_share = 0.25;

// Every task under every strategy, one after the other: first with an equal share of the budget,
// the strategies of a task in turn. Then what the tasks of a strategy left unspent goes to the one
// whose curve rises most per dollar (per query where nothing costs money), a share at a time, until
// it is spent or no curve rises.
//
// Derived from the runs' journals alone: called again it goes on where it was stopped, and makes
// the same decisions. A stop leaves entries without runs.
Result<std::vector<report::SuiteEntry>> run_suite(const SuitePlan& plan, const RunJob& run_job,
                                                  const StopFlag& stop = StopFlag());

// How steeply a task's curve rises at its end: logarithm of the gain over the latter half of what
// was spent, per dollar or, where nothing costs money, per query. 0: nothing was spent.
double rise_of(const report::SuiteEntry& entry);

}  // namespace cupel::engine
