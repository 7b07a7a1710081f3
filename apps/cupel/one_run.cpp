#include "one_run.h"

#include "agent_wiring.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "engine/evaluate/real_evaluator.h"
#include "inputs.h"
#include "journal/journal.h"
#include "journal/reader.h"
#include "journal/runs.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

constexpr const char* k_open_bill =
    "no budget in dollars: the number of queries alone bounds the bill (`cupel estimate` says to "
    "how much, --budget 5usd bounds it)";

// A run that has begun keeps what decides about its money.
Result<RunOptions> options_of(const OneRun& one) {
  if (!journal::holds_run(one.directory)) return one.options;
  CUPEL_TRY(const RunRecord record, journal::read_run(one.directory));
  return record.task.id.empty() ? one.options : record.options;
}

Result<engine::RunRequest> request_of(const OneRun& one, const Options& options) {
  engine::RunRequest request;
  request.run_id = one.run_id;
  request.task = one.task;
  CUPEL_TRY(request.options, options_of(one));
  request.machine = describe_machine(one.options.device);
  request.machine["torch"] = torch_version(options);
  request.files = one.files;
  return request;
}

}  // namespace

Result<RunRecord> make_run(const OneRun& one, const Options& options) {
  CUPEL_TRY(engine::RunRequest request, request_of(one, options));
  CUPEL_TRY_STATUS(check_strategy(request.options));
  CUPEL_TRY(const AgentWiring wiring, wire_agents(request.options, options.prices));
  CUPEL_TRY_STATUS(check_budget(options.budgets, wiring));
  request.options.prices = prices_of(wiring);
  request.options.slots = slots_for(wiring, request.options);
  auto sink = progress_sink(options);
  const bool is_open = !request.options.prices.empty() && request.options.nano_usd_max == 0;
  if (is_open) sink->on_note(k_open_bill);
  CUPEL_TRY(const auto evaluator, make_search_evaluator(one.task, request.options, options));
  const SystemClock clock;
  CUPEL_TRY(auto journal, journal::Journal::open(one.directory, clock));
  auto record =
      engine::run(request, {*evaluator, wiring.agents}, journal, *sink, stop_on_signals());
  if (!record && !journal.state().admitted) journal::discard_run(std::move(journal));
  return record;
}

}  // namespace cupel::cli
