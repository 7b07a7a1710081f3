// The measurements of Cupel itself, one function each; all print a table to stdout.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/doors/evaluator.h"
#include "model/task.h"

namespace cupel::bench {

struct Arguments {
  std::string what;                          // see main.cpp
  std::vector<std::filesystem::path> tasks;  // files, or folders of files
  int repeat = 1;
  int beside = 1;          // soundness: so many in one round, where the device has room;
                           // portfolio: programs to have hosts ready for
  bool autocast = true;    // soundness: that as well, under half
  double slowdown = 0.03;  // sensitivity
  std::string candidate;   // identity: a file in the reference's place, which takes as long as it
  std::string dump;        // directory for the evidence of every judgement, as JSON
  double min_ms = 0;       // skip tasks whose reference is faster than this
  double max_ms = 1e9;     // or slower
  std::int64_t memory_bytes_max = 0;  // skip tasks that need more; 0: what the machine gives
  std::string device = "cpu";
  std::string policy;            // "": the task's own
  std::string mode;              // of the models; "": the task's own
  std::string effort = "quick";  // portfolio
  std::string also;       // portfolio: further seeds by name, comma between; * stands for any text
  std::string only;       // portfolio: these seeds alone, listed like `also`; "": all
  bool rewrites = false;  // portfolio: what the rules of algebra make of the task as well
  std::string without;    // portfolio: without these rewritten seeds, listed like `also`
  // Of the device's memory, for one round: a third of a large GPU's, since several tasks are worked
  // on at once.
  std::int64_t round_bytes_max = 45LL << 30;
  double timing_s = 0;  // of a first round; 0: the plan's
  int inputs_min = 0;   // that a round's times rest on; 0: the plan's
  int rounds_max = 0;   // of a judgement; 0: the judge's own limit
  double limit_s = 0;   // for a program's loading and first call; 0: the plan's
};

// Files, in the order of their names' numbers ("9_x.py" before "10_x.py").
std::vector<std::filesystem::path> task_files(const Arguments& arguments);

// A task's evaluator, admitted; the admission says how fast the reference is.
struct Opened {
  Task task;
  engine::Admitted admitted;
  std::unique_ptr<engine::Evaluator> evaluator;
};
// `programs`: of the judgements to come, eager among them.
Result<Opened> open_task(const std::filesystem::path& file, const Arguments& arguments,
                         int programs = 2);

inline constexpr std::size_t k_source_bytes_max = 1 << 20;  // of a candidate's file

// The reference as its own candidate; slowed by `slowdown` of its own time if that is not 0.
Candidate reference_candidate(const Task& task, double slowdown);

int loader(const Arguments& arguments);
int identity(const Arguments& arguments);
int sensitivity(const Arguments& arguments);
int soundness(const Arguments& arguments);
int cost(const Arguments& arguments);
int lint(const Arguments& arguments);
int journal(const Arguments& arguments);
int lanes(const Arguments& arguments);
int portfolio(const Arguments& arguments);
int verdicts(const Arguments& arguments);
int faults(const Arguments& arguments);
int simulate_ladder(const Arguments& arguments);
int simulate_fit(const Arguments& arguments);
int simulate_spread(const Arguments& arguments);

}  // namespace cupel::bench
