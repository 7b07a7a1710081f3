#include "base/clock.h"
#include "base/rng.h"
#include "commands.h"
#include "exit_codes.h"
#include "inputs.h"
#include "journal/runs.h"
#include "one_run.h"
#include "run_output.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

std::filesystem::path run_directory(const Options& options, const std::string& run_id) {
  return options.run_dir.empty() ? runs_directory() / run_id
                                 : std::filesystem::path(options.run_dir);
}

}  // namespace

Result<int> run_optimize(const Options& options) {
  OneRun one;
  CUPEL_TRY(one.task, load_task(options));
  CUPEL_TRY(one.files, read_candidates(options.candidate_files));
  one.run_id = journal::make_run_id(one.task.name, SystemClock().wall_ns(), secret_seed());
  one.directory = run_directory(options, one.run_id);
  one.options = run_options(options, one.task);
  CUPEL_TRY(const RunRecord record, make_run(one, options));
  print_run(record, options);
  return record.finished ? k_exit_good : k_exit_interrupted;
}

}  // namespace cupel::cli
