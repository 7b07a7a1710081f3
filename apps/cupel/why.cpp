#include "commands.h"
#include "exit_codes.h"
#include "journal/reader.h"
#include "journal/runs.h"
#include "output.h"
#include "report/why_report.h"
#include "wiring.h"

namespace cupel::cli {

Result<int> run_why(const Options& options) {
  CUPEL_TRY(const auto directory, journal::resolve_run(runs_directory(), options.run));
  CUPEL_TRY(const auto events, journal::events_about(directory, options.candidate));
  print(options.json ? report::why_json(events) : report::why_text(events, style_for(stdout)));
  return k_exit_good;
}

}  // namespace cupel::cli
