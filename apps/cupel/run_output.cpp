#include "run_output.h"

#include "output.h"
#include "report/run/run_report.h"

namespace cupel::cli {

void print_run(const RunRecord& run, const Options& options) {
  if (options.json) return print(report::run_json(run));
  if (options.markdown) return print(report::run_markdown(run));
  print(report::run_text(run, style_for(stdout)));
}

}  // namespace cupel::cli
