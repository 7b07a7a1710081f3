#include "options.h"

namespace cupel::cli {

RunOptions run_options(const Options& options, const Task& task) {
  RunOptions run;
  run.policy = options.policy.value_or(task.settings.policy);
  run.effort = options.effort;
  run.device = options.device;
  run.threads = options.threads;
  run.sandbox = options.sandbox;
  run.minutes_max = options.budget_minutes;
  run.candidate_files = options.candidate_files;
  return run;
}

}  // namespace cupel::cli
