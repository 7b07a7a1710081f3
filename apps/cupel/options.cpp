#include "options.h"

#include "search/strategies.h"

namespace cupel::cli {

RunOptions run_options(const Options& options, const Task& task) {
  RunOptions run;
  run.policy = options.policy.value_or(task.settings.policy);
  run.metric = options.metric.value_or(Metric::latency);
  run.effort = options.effort;
  run.device = options.device;
  run.threads = options.threads;
  run.sandbox = options.sandbox;
  run.time_limit_s = options.time_limit_s;
  run.minutes_max = options.budgets.minutes_max;
  run.nano_usd_max = options.budgets.nano_usd_max;
  run.queries_max = options.budgets.queries_max;
  run.candidate_files = options.candidate_files;
  run.strategy = options.strategy;
  if (run.strategy.empty())
    run.strategy = options.llm.empty() ? search::k_portfolio_strategy : search::k_default_strategy;
  run.llm = options.llm;
  run.llm_cheap = options.llm_cheap;
  run.reader = options.reader;
  run.llm_url = options.llm_url;
  run.stop_value = options.stop_value;
  run.withheld = options.withheld;
  return run;
}

}  // namespace cupel::cli
