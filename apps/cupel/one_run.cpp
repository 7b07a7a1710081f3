#include "one_run.h"

#include "agent_wiring.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "engine/real_evaluator.h"
#include "inputs.h"
#include "journal/journal.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

constexpr const char* k_open_bill =
    "no budget in dollars: the number of queries alone bounds the bill (`cupel estimate` says to "
    "how much, --budget 5usd bounds it)";

engine::RunRequest request_of(const OneRun& one) {
  engine::RunRequest request;
  request.run_id = one.run_id;
  request.task = one.task;
  request.options = one.options;
  request.machine = describe_machine(one.options.device);
  request.files = one.files;
  return request;
}

}  // namespace

Result<RunRecord> make_run(const OneRun& one, const Options& options) {
  engine::RunRequest request = request_of(one);
  CUPEL_TRY_STATUS(check_strategy(request.options));
  CUPEL_TRY(const AgentWiring wiring, wire_agents(request.options, options));
  request.options.slots = slots_for(wiring, request.options);
  auto sink = progress_sink(options);
  CUPEL_TRY(const bool open, bill_is_open(request.options, options));
  if (open) sink->on_note(k_open_bill);
  CUPEL_TRY(const auto evaluator,
            make_evaluator(one.task, request.options, options, engine::k_repeat_in_search));
  const SystemClock clock;
  CUPEL_TRY(auto journal, journal::Journal::open(one.directory, clock));
  return engine::run(request, {*evaluator, wiring.agents}, journal, *sink, stop_on_signals());
}

}  // namespace cupel::cli
