// How the process ends: one table for all commands, repeated in docs/cli.md and --help.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/run.h"
#include "model/verdict.h"

namespace cupel::cli {

enum ExitCode : int {
  k_exit_good = 0,         // done; judge: correct and faster
  k_exit_not_faster = 1,   // judge: correct, not faster
  k_exit_no_rewrite = 1,   // rewrite: no rule fits
  k_exit_degenerate = 1,   // lint, judge, optimize: the task is degenerate
  k_exit_differs = 1,      // replay: a decision comes out otherwise
  k_exit_wrong = 2,        // judge: wrong, suspect or impossible
  k_exit_broken = 3,       // judge, profile: the candidate did not build or run
  k_exit_input = 4,        // the task, a file or the command line is wrong
  k_exit_environment = 5,  // this machine lacks something
  k_exit_internal = 6,     // our own processes failed
  k_exit_interrupted = 130,
};

inline constexpr std::string_view k_exit_code_help = R"(Exit codes:
  0  done (judge: correct and faster)
  1  judge: correct but not faster; lint, judge, optimize: the task is
     degenerate, so that being right on it shows little;
     rewrite: no rule fits; replay: a decision differs
  2  judge: wrong, suspect or impossible
  3  judge, profile: the candidate failed to build or to run
  4  input error: the task, a file or the command line
  5  environment error: this machine lacks something (see cupel doctor)
  6  internal error: a fault of Cupel's own; trying again may help
  130  interrupted (cupel resume goes on with a run)
)";

ExitCode exit_code(ErrorTag tag);
ExitCode exit_code(const Verdict& verdict);
ExitCode exit_code(const RunRecord& run);

}  // namespace cupel::cli
