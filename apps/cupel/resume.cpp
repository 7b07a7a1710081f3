#include "agent_wiring.h"
#include "base/clock.h"
#include "commands.h"
#include "engine/engine.h"
#include "engine/evaluate/real_evaluator.h"
#include "exit_codes.h"
#include "inputs.h"
#include "journal/journal.h"
#include "journal/reader.h"
#include "journal/runs.h"
#include "run_output.h"
#include "wiring.h"

namespace cupel::cli {

Result<int> run_resume(const Options& options) {
  CUPEL_TRY(const auto directory, journal::resolve_run(runs_directory(), options.run));
  CUPEL_TRY(const RunRecord before, journal::read_run(directory));
  if (before.finished && !before.left_programs()) {
    print_run(before, options);
    return exit_code(before);
  }
  CUPEL_TRY(const AgentWiring wiring, wire_agents(before.options));
  auto sink = progress_sink(options);
  const SystemClock clock;
  CUPEL_TRY(auto journal, journal::Journal::reopen(directory, clock));
  CUPEL_TRY(const auto evaluator, make_search_evaluator(before.task, before.options, options));
  auto record = engine::resume({*evaluator, wiring.agents}, journal, *sink, stop_on_signals());
  if (!record) return fail(std::move(record).error());
  sink.reset();  // clears the status line
  print_run(*record, options);
  return exit_code(*record);
}

}  // namespace cupel::cli
