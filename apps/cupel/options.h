// What the command line said, as one plain value for every command.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "budgets.h"
#include "model/run.h"
#include "model/task.h"
#include "task/load.h"

namespace cupel::cli {

struct Options {
  std::string command;  // "optimize", "judge", ...

  task::TaskArgument task;
  std::vector<std::string> candidate_files;
  std::string run;                       // a run's id, the beginning of one, a path, or "latest"
  std::string action = "list";           // runs: "list", "tag", "delete"
  std::vector<std::string> runs;         // runs, compare, ship: RUNs; of "tag" one, and the tag
  std::string candidate;                 // why: a proposal's or candidate's id
  std::string shell;                     // completion
  std::vector<std::string> passed_on;    // capture: what its own parser reads
  std::vector<std::string> suite_tasks;  // suite: files, directories, patterns
  std::string html;                      // report: the page to write
  std::string csv;                       // suite: file for the per-task table
  bool with_degenerate = false;          // suite: degenerate tasks count too
  std::string package_name;              // ship; empty: after the task
  std::string out;                       // figures, ship: the folder to make
  std::string package;                   // recheck: a shipped package's folder
  bool trust = false;                    // recheck: what is faster here may run here

  std::optional<Policy> policy;  // unset: the task's settings decide
  std::optional<Metric> metric;  // unset: latency
  Effort effort = Effort::normal;
  std::string device = "cpu";
  int threads = 0;
  std::string sandbox = "bwrap";
  Budgets budgets;
  double time_limit_s = 0;  // of a run; 0: the measuring plan's own
  std::string run_dir;
  bool each_shape = false;  // optimize: also on the task's held-out shapes, a run each
  std::string python;

  std::string strategy;  // empty: the default, with or without an LLM
  std::string llm;
  std::string llm_cheap;
  std::string reader;
  std::string llm_url;
  std::vector<std::string> prices;    // "MODEL=INPUT,CACHED,OUTPUT"
  double stop_value = -1;             // negative: the strategy decides
  std::vector<std::string> withheld;  // of what agents are told

  bool audit = false;           // judge
  std::string agent = "write";  // prompt
  std::string idea;             // prompt
  bool show_prompt = false;     // why
  bool show_reply = false;
  bool json = false;
  bool markdown = false;
  bool quiet = false;
  bool progress_lines = false;  // as JSON, also where `json` is asked for
};

// The options of a run on `task`.
RunOptions run_options(const Options& options, const Task& task);

}  // namespace cupel::cli
