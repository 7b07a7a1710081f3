// One run of a task, with all that stands behind it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/candidate.h"
#include "model/run.h"
#include "options.h"

namespace cupel::cli {

struct OneRun {
  Task task;
  std::vector<Candidate> files;  // the user's candidates
  std::string run_id;
  std::filesystem::path directory;
  RunOptions options;
};

// Makes the run, or goes on, as it began, with the one in that directory. A run that was refused
// before its task was admitted leaves nothing. Progress goes to stderr as `options`
// say. `finished` is false in the record if the process was asked to stop.
Result<RunRecord> make_run(const OneRun& one, const Options& options);

}  // namespace cupel::cli
