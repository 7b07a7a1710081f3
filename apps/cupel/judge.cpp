#include "base/stop.h"
#include "commands.h"
#include "exit_codes.h"
#include "inputs.h"
#include "judge/audit/audit.h"
#include "output.h"
#include "report/answers/verdict_report.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

// The audit's verdict takes the place of the first one, which says that the program is right.
Result<engine::Judgement> audited(engine::Evaluator& evaluator, const Candidate& candidate,
                                  const Verdict& first) {
  CUPEL_TRY(engine::Judgement audit, evaluator.audit(candidate));
  Verdict& verdict = audit.verdicts.front();
  verdict = judge::confirmed(first, std::move(verdict));
  return audit;
}

}  // namespace

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
  CUPEL_TRY(auto judgement, evaluator->judge({candidate}));
  if (judgement.verdicts.empty()) return bug_error("the round gave no verdict", candidate.label);
  if (options.audit && is_correct(judgement.verdicts.front().outcome)) {
    show(*sink, engine::Stage::audit, candidate.label);
    CUPEL_TRY(judgement, audited(*evaluator, candidate, judgement.verdicts.front()));
  }
  sink.reset();  // clears the status line
  const Verdict& verdict = judgement.verdicts.front();
  print(options.json ? report::verdict_json(verdict, judgement.evidence)
                     : report::verdict_text(verdict, judgement.evidence, style_for(stdout)));
  return exit_code(verdict);
}

}  // namespace cupel::cli
