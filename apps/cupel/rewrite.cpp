#include "rewrite/rewrite.h"
#include "base/stop.h"
#include "commands.h"
#include "engine/evaluate/real_evaluator.h"
#include "exit_codes.h"
#include "inputs.h"
#include "output.h"
#include "report/answers/rewrite_report.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

Result<GraphExport> exported_graph(const Task& task, const RunOptions& run,
                                   const Options& options) {
  const auto sink = progress_sink(options);  // its end clears the status line
  show(*sink, engine::Stage::admit, task.name);
  stop_on_signals();
  CUPEL_TRY(const auto evaluator, engine::make_real_evaluator(
                                      task, run, {options.time_limit_s, options.python, {}, true}));
  return evaluator->graph();
}

}  // namespace

Result<int> run_rewrite(const Options& options) {
  CUPEL_TRY(const Task task, load_task(options));
  const RunOptions run = run_options(options, task);
  CUPEL_TRY(const GraphExport exported, exported_graph(task, run, options));
  report::RewriteFindings findings{task, exported.refused, exported.graph, {}};
  findings.rewritings = rewrite::rewrite(exported, {run.policy, run.device});
  print(options.json ? report::rewrite_json(findings)
                     : report::rewrite_text(findings, style_for(stdout)));
  return findings.rewritings.programs.empty() ? k_exit_no_rewrite : k_exit_good;
}

}  // namespace cupel::cli
