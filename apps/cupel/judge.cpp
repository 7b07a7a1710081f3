#include "base/stop.h"
#include "commands.h"
#include "exit_codes.h"
#include "inputs.h"
#include "output.h"
#include "report/verdict_report.h"
#include "wiring.h"

namespace cupel::cli {

Result<int> run_judge(const Options& options) {
  CUPEL_TRY(const Task task, load_task(options));
  CUPEL_TRY(const Candidate candidate, read_candidate(options.candidate_files.front()));
  auto sink = progress_sink(options);
  show(*sink, engine::Stage::admit, task.name);
  stop_on_signals();  // frozen hosts must be ended, so the process may not just die
  CUPEL_TRY(const auto evaluator, make_evaluator(task, run_options(options, task), options));
  CUPEL_TRY(const auto admitted, evaluator->admit());
  for (const std::string& reason : admitted.admission.degenerate) {
    sink->on_note("degenerate task: " + reason);
  }
  show(*sink, engine::Stage::judge, candidate.label);
  CUPEL_TRY(const auto judgement, evaluator->judge({candidate}));
  sink.reset();  // clears the status line
  if (judgement.verdicts.empty()) return bug_error("the round gave no verdict", candidate.label);
  const Verdict& verdict = judgement.verdicts.front();
  print(options.json ? report::verdict_json(verdict, judgement.evidence)
                     : report::verdict_text(verdict, judgement.evidence, style_for(stdout)));
  return exit_code(verdict.outcome);
}

}  // namespace cupel::cli
