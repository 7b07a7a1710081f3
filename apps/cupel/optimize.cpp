#include "agent_wiring.h"
#include "base/clock.h"
#include "base/rng.h"
#include "commands.h"
#include "exit_codes.h"
#include "inputs.h"
#include "journal/reader.h"
#include "journal/runs.h"
#include "one_run.h"
#include "run_output.h"
#include "shapes.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

std::filesystem::path run_directory(const Options& options, const std::string& run_id) {
  return options.run_dir.empty() ? runs_directory() / run_id
                                 : std::filesystem::path(options.run_dir);
}

// A directory that holds a run already goes on with that one, and with no other.
Status check_same_run(const OneRun& one, const std::vector<std::string>& prices) {
  if (!journal::holds_run(one.directory)) return {};
  CUPEL_TRY(const RunRecord record, journal::read_run(one.directory));
  RunOptions given = one.options;
  given.slots = record.options.slots;  // follows from the others
  given.prices = record.options.prices;
  if (!prices.empty()) {
    CUPEL_TRY(const AgentWiring wiring, wire_agents(one.options, prices, Asks::no));
    given.prices = prices_of(wiring);
  }
  const bool begun = !record.task.id.empty();
  const bool same = record.task.id == one.task.id && encode(given) == encode(record.options);
  if (!begun || same) return {};
  return input_error("this directory holds a run of another task or with other options",
                     one.directory.string(),
                     "name another one; `cupel resume` goes on with that run as it began");
}

Result<RunRecord> optimize_task(const Options& options, const Task& task) {
  OneRun one;
  one.task = task;
  CUPEL_TRY(one.files, read_candidates(options.candidate_files));
  one.run_id = journal::make_run_id(one.task.name, SystemClock().wall_ns(), secret_seed());
  one.directory = run_directory(options, one.run_id);
  one.options = run_options(options, one.task);
  CUPEL_TRY_STATUS(check_same_run(one, options.prices));
  return make_run(one, options);
}

}  // namespace

Result<int> run_optimize(const Options& options) {
  CUPEL_TRY(const auto tasks, load_shapes(options));
  if (tasks.size() > 1) return optimize_shapes(options, tasks, optimize_task);
  CUPEL_TRY(const RunRecord record, optimize_task(options, tasks.front()));
  print_run(record, options);
  return exit_code(record);
}

}  // namespace cupel::cli
