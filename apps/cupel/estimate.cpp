#include "engine/rehearse/estimate.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "agent_wiring.h"
#include "commands.h"
#include "exit_codes.h"
#include "inputs.h"
#include "output.h"
#include "report/words/numbers.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

std::string text_of(const engine::Estimate& estimate, const engine::Assumptions& assumed,
                    const RunOptions& run) {
  return fmt::format(
      "An estimate, not an offer: {} with {}, decided on drawn answers\n"
      "  bill        about {}, at most {}\n"
      "  queries     {} charged, {} questions in all\n"
      "  prompts     {} on average, {} at most\n"
      "  time        about {}, the final round not counted\n"
      "Assumed: {} tokens an answer at {:g} a second, {:g} bytes a token, {:g} s a build, "
      "{:g} s a judgement.\n",
      run.strategy, run.llm, report::money_text(usd_of(estimate.nano_usd)),
      report::money_text(usd_of(estimate.nano_usd_worst)), estimate.queries, estimate.questions,
      report::bytes_text(static_cast<double>(estimate.prompt_bytes)),
      report::bytes_text(static_cast<double>(estimate.prompt_bytes_max)),
      report::seconds_text(estimate.seconds), assumed.reply_tokens, assumed.tokens_per_second,
      assumed.bytes_per_token, assumed.build_s, assumed.measure_s);
}

std::string json_of(const engine::Estimate& estimate) {
  const nlohmann::json json{{"version", 1},
                            {"kind", "estimate"},
                            {"nano_usd", estimate.nano_usd},
                            {"nano_usd_worst", estimate.nano_usd_worst},
                            {"queries", estimate.queries},
                            {"questions", estimate.questions},
                            {"prompt_bytes", estimate.prompt_bytes},
                            {"prompt_bytes_max", estimate.prompt_bytes_max},
                            {"seconds", estimate.seconds}};
  return json.dump() + "\n";
}

}  // namespace

Result<int> run_estimate(const Options& options) {
  CUPEL_TRY(const Task task, load_task(options));
  engine::RunRequest request;
  request.run_id = "estimate";
  request.task = task;
  request.options = run_options(options, task);
  request.machine = describe_machine(request.options.device);
  if (request.options.llm.empty()) {
    return input_error("an estimate needs a model to ask", "--llm", "without one a run is free");
  }
  CUPEL_TRY_STATUS(check_strategy(request.options));
  CUPEL_TRY(const AgentWiring wiring, wire_agents(request.options, options.prices, Asks::no));
  CUPEL_TRY_STATUS(check_budget(options.budgets, wiring));
  request.options.prices = prices_of(wiring);
  request.options.slots = slots_for(wiring, request.options);
  const engine::Assumptions assumed;
  CUPEL_TRY(const auto estimate,
            engine::estimate(request, wiring.agents, charges_of(wiring), assumed));
  print(options.json ? json_of(estimate) : text_of(estimate, assumed, request.options));
  return k_exit_good;
}

}  // namespace cupel::cli
