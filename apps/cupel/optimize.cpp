#include <filesystem>

#include "agent_wiring.h"
#include "base/clock.h"
#include "base/rng.h"
#include "commands.h"
#include "engine/engine.h"
#include "engine/real_evaluator.h"
#include "exit_codes.h"
#include "inputs.h"
#include "journal/journal.h"
#include "journal/runs.h"
#include "output.h"
#include "run_output.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

engine::RunRequest make_request(const Options& options, const Task& task,
                                std::vector<Candidate> files) {
  engine::RunRequest request;
  request.run_id = journal::make_run_id(task.name, SystemClock().wall_ns(), secret_seed());
  request.task = task;
  request.options = run_options(options, task);
  request.machine = describe_machine();
  request.files = std::move(files);
  return request;
}

std::filesystem::path run_directory(const Options& options, const std::string& run_id) {
  return options.run_dir.empty() ? runs_directory() / run_id
                                 : std::filesystem::path(options.run_dir);
}

}  // namespace

Result<int> run_optimize(const Options& options) {
  CUPEL_TRY(const Task task, load_task(options));
  CUPEL_TRY(auto files, read_candidates(options.candidate_files));
  auto request = make_request(options, task, std::move(files));
  CUPEL_TRY_STATUS(check_strategy(request.options));
  CUPEL_TRY(const AgentWiring wiring, wire_agents(request.options, options));
  request.options.slots = slots_for(wiring, request.options);
  auto sink = progress_sink(options);
  CUPEL_TRY(const auto evaluator,
            make_evaluator(task, request.options, options, engine::k_repeat_in_search));
  const SystemClock clock;
  CUPEL_TRY(auto journal, journal::Journal::open(run_directory(options, request.run_id), clock));
  auto record =
      engine::run(request, {*evaluator, wiring.agents}, journal, *sink, stop_on_signals());
  sink.reset();  // clears the status line
  if (!record) return fail(std::move(record).error());
  print_run(*record, options);
  return record->finished ? k_exit_good : k_exit_interrupted;
}

}  // namespace cupel::cli
