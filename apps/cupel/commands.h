// One function a command, one file each. Returns the exit code; an Error is printed by main.
#pragma once

#include "base/result.h"
#include "options.h"

namespace cupel::cli {

Result<int> run_optimize(const Options& options);
Result<int> run_estimate(const Options& options);
Result<int> run_suite(const Options& options);
Result<int> run_judge(const Options& options);
Result<int> run_lint(const Options& options);
Result<int> run_profile(const Options& options);
Result<int> run_rewrite(const Options& options);
// Writes what it draws from, then becomes the Python that draws.
Result<int> run_figures(const Options& options);
// These become the Python that runs the script; they return only where that fails.
Result<int> run_optimize_model(const Options& options);
Result<int> run_capture(const Options& options);
Result<int> run_resume(const Options& options);
Result<int> run_replay(const Options& options);
Result<int> run_compare(const Options& options);
Result<int> run_report(const Options& options);
Result<int> run_runs(const Options& options);
Result<int> run_why(const Options& options);
Result<int> run_prompt(const Options& options);
Result<int> run_ship(const Options& options);
Result<int> run_recheck(const Options& options);
Result<int> run_doctor(const Options& options);
Result<int> run_tasks(const Options& options);
Result<int> run_version(const Options& options);

}  // namespace cupel::cli
