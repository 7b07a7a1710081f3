#include "commands.h"
#include "exit_codes.h"
#include "inputs.h"
#include "output.h"
#include "report/answers/lint_report.h"
#include "wiring.h"

namespace cupel::cli {

Result<int> run_lint(const Options& options) {
  CUPEL_TRY(const Task task, load_task(options));
  const RunOptions run = run_options(options, task);
  CUPEL_TRY(const auto admitted, admit_alone(task, run, options));
  const report::LintFindings findings{task, admitted.facts, admitted.admission, run.policy};
  print(options.json ? report::lint_json(findings)
                     : report::lint_text(findings, style_for(stdout)));
  return admitted.admission.degenerate.empty() ? k_exit_good : k_exit_degenerate;
}

}  // namespace cupel::cli
