#include "commands.h"
#include "exit_codes.h"
#include "journal/reader.h"
#include "journal/runs.h"
#include "run_output.h"
#include "wiring.h"

namespace cupel::cli {

Result<int> run_report(const Options& options) {
  CUPEL_TRY(const auto directory, journal::resolve_run(runs_directory(), options.run));
  CUPEL_TRY(const RunRecord record, journal::read_run(directory));
  print_run(record, options);
  return k_exit_good;
}

}  // namespace cupel::cli
