#include "journal/runs.h"
#include "base/clock.h"
#include "commands.h"
#include "exit_codes.h"
#include "journal/journal.h"
#include "journal/reader.h"
#include "output.h"
#include "report/suite/runs_report.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

namespace fs = std::filesystem;

report::ListedRun listed(const fs::path& directory) {
  report::ListedRun run;
  auto record = journal::read_run(directory);
  if (record) {
    run.record = std::move(*record);
  } else {
    run.problem = record.error().describe();
  }
  if (run.record.run_id.empty()) run.record.run_id = directory.filename().string();
  run.tags = journal::tags_of(directory);
  return run;
}

Result<std::vector<fs::path>> named(const std::vector<std::string>& names) {
  std::vector<fs::path> directories;
  for (const std::string& name : names) {
    CUPEL_TRY(fs::path directory, journal::resolve_run(runs_directory(), name));
    directories.push_back(std::move(directory));
  }
  return directories;
}

Result<std::vector<fs::path>> all() {
  CUPEL_TRY(const auto runs, journal::list_runs(runs_directory()));
  std::vector<fs::path> directories;
  for (const journal::RunSummary& run : runs) directories.push_back(run.directory);
  return directories;
}

// One that is being written is locked, and stays.
Status remove(const std::vector<std::string>& names) {
  if (names.empty()) return input_error("which run?", "cupel runs delete", "name one or several");
  CUPEL_TRY(const auto directories, named(names));
  const SystemClock clock;
  for (const fs::path& directory : directories) {
    CUPEL_TRY(auto journal, journal::Journal::reopen(directory, clock));
    journal::discard_run(std::move(journal));
    print("deleted " + directory.string() + "\n");
  }
  return {};
}

Status tag(const std::vector<std::string>& words) {
  if (words.size() != 2) {
    return input_error("a run and one word are needed", "cupel runs tag",
                       "cupel runs tag RUN WORD; the same again takes it off");
  }
  CUPEL_TRY(const auto directory, journal::resolve_run(runs_directory(), words.front()));
  return journal::toggle_tag(directory, words.back());
}

Status show(const std::vector<fs::path>& directories, const Options& options) {
  std::vector<report::ListedRun> runs;
  for (const fs::path& directory : directories) runs.push_back(listed(directory));
  print(options.json ? report::runs_json(runs) : report::runs_text(runs, style_for(stdout)));
  return {};
}

}  // namespace

Result<int> run_runs(const Options& options) {
  if (options.action == "delete") CUPEL_TRY_STATUS(remove(options.runs));
  if (options.action == "tag") CUPEL_TRY_STATUS(tag(options.runs));
  if (options.action == "list") {
    CUPEL_TRY(const auto directories, options.runs.empty() ? all() : named(options.runs));
    CUPEL_TRY_STATUS(show(directories, options));
  }
  return k_exit_good;
}

}  // namespace cupel::cli
