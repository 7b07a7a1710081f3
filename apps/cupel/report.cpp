#include <filesystem>

#include "base/files.h"
#include "commands.h"
#include "exit_codes.h"
#include "journal/reader.h"
#include "journal/runs.h"
#include "output.h"
#include "pages.h"
#include "python_program.h"
#include "run_output.h"
#include "suite_files.h"
#include "wiring.h"

namespace cupel::cli {
namespace fs = std::filesystem;
namespace {

Result<int> report_suite(const fs::path& directory, const Options& options) {
  CUPEL_TRY(const auto entries, read_suite(directory));
  const auto suite = report::make_suite(directory.filename(), entries, options.with_degenerate);
  if (!options.html.empty()) return write_suite_page(options.html, suite, entries);
  print(options.json ? report::suite_json(suite) : report::suite_text(suite, style_for(stdout)));
  return k_exit_good;
}

}  // namespace

Result<int> run_report(const Options& options) {
  if (const auto suite = suite_directory(options.run)) return report_suite(*suite, options);
  CUPEL_TRY(const auto directory, journal::resolve_run(runs_directory(), options.run));
  if (!options.html.empty()) return write_run_page(options.html, directory);
  CUPEL_TRY(const RunRecord record, journal::read_run(directory));
  print_run(record, options);
  return k_exit_good;
}

Result<int> run_figures(const Options& options) {
  const auto suite = suite_directory(options.run);
  CUPEL_TRY(const std::string json,
            suite ? suite_page_data(*suite, options.with_degenerate) : run_page_data(options.run));
  std::error_code problem;
  fs::create_directories(options.out, problem);
  if (problem) return input_error(problem.message(), options.out, "name another --out");
  const fs::path data = fs::path(options.out) / "data.json";
  CUPEL_TRY_STATUS(write_file_atomic(data, json));
  return become_python("cupel.figures", {data.string(), "--out", options.out}, options);
}

}  // namespace cupel::cli
