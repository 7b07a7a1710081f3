#include "engine/suite.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "agent_wiring.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/stop.h"
#include "commands.h"
#include "exit_codes.h"
#include "inputs.h"
#include "journal/reader.h"
#include "one_run.h"
#include "output.h"
#include "report/suite/suite_report.h"
#include "wiring.h"

namespace cupel::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t k_task_bytes_max = 16 << 20;
constexpr std::size_t k_suite_id_chars = 6;

// Paths that a shell's pattern names; the text itself where it names none.
std::vector<fs::path> expanded(const std::string& pattern) {
  glob_t found{};
  std::vector<fs::path> paths;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
  }
  ::globfree(&found);
  if (paths.empty()) paths.emplace_back(pattern);
  return paths;
}

// Task files of a directory in the order of their names, "9_x" before "10_x".
std::vector<fs::path> files_in(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    const std::string left = a.filename();
    const std::string right = b.filename();
    return std::pair(std::atol(left.c_str()), left) < std::pair(std::atol(right.c_str()), right);
  });
  return files;
}

Result<std::vector<fs::path>> task_files(const std::vector<std::string>& patterns) {
  std::vector<fs::path> files;
  for (const std::string& pattern : patterns) {
    for (const fs::path& path : expanded(pattern)) {
      const bool directory = fs::is_directory(path);
      if (!directory && !fs::exists(path)) {
        return input_error("there is no such file or directory", pattern,
                           "a suite takes task files, directories of them, and quoted patterns");
      }
      const auto found = directory ? files_in(path) : std::vector<fs::path>{path};
      files.insert(files.end(), found.begin(), found.end());
    }
  }
  if (files.empty()) return input_error("no task files there", patterns.front());
  return files;
}

// The stem; where several files share it, with the directory before it.
std::vector<std::string> names_of(const std::vector<fs::path>& files) {
  std::map<std::string, int> count;
  for (const fs::path& file : files) ++count[file.stem()];
  std::vector<std::string> names;
  for (const fs::path& file : files) {
    const std::string stem = file.stem();
    const fs::path folder = fs::absolute(file).parent_path().filename();
    names.push_back(count[stem] > 1 ? folder.string() + "_" + stem : stem);
  }
  return names;
}

engine::Allotment budget_of(const Budgets& budgets) {
  return {budgets.nano_usd_max, budgets.queries_max, budgets.minutes_max};
}

// The options of one run in the suite.
Options options_for(const Options& options, const std::string& strategy,
                    const engine::Allotment& allotment) {
  Options own = options;
  own.strategy = strategy;
  own.budgets = {allotment.minutes, allotment.nano_usd, allotment.queries};
  return own;
}

// The same tasks, strategies and options are the same suite, and go on where it was left.
Result<std::string> suite_id(const std::vector<fs::path>& files, const engine::SuitePlan& plan,
                             const Options& options) {
  Hasher hasher("suite");
  for (const fs::path& file : files) {
    CUPEL_TRY(const std::string text, read_file(file, k_task_bytes_max));
    hasher.add("path", fs::absolute(file).string()).add("task", text);
  }
  for (const std::string& strategy : plan.strategies) {
    const Options own = options_for(options, strategy, plan.budget);
    hasher.add("options", encode(run_options(own, Task())));
    if (own.task.mode) hasher.add("mode", to_string(*own.task.mode));
  }
  return "suite-" + hasher.finish().substr(0, k_suite_id_chars);
}

Result<RunRecord> run_one(const engine::SuiteJob& job, const fs::path& file,
                          const std::string& suite, const Options& options) {
  if (journal::holds_run(job.directory)) {
    CUPEL_TRY(RunRecord record, journal::read_run(job.directory));
    if (record.finished) return record;
  }
  Options own = options_for(options, job.strategy, job.allotment);
  own.task.name = file.string();
  if (!job.start_file.empty()) own.candidate_files.push_back(job.start_file);
  OneRun one;
  CUPEL_TRY(one.task, load_task(own));
  CUPEL_TRY(one.files, read_candidates(own.candidate_files));
  one.run_id = suite + "-" + job.strategy + "-" + one.task.name + "-" + std::to_string(job.part);
  one.directory = job.directory;
  one.options = run_options(own, one.task);
  return make_run(one, own);
}

// "x.csv" and "-curves" to "x-curves.csv".
fs::path beside(const fs::path& file, const std::string& suffix) {
  return file.parent_path() / (file.stem().string() + suffix + file.extension().string());
}

Status print_suite(const report::Suite& suite, const std::vector<report::SuiteEntry>& entries,
                   const Options& options) {
  if (!options.csv.empty()) {
    CUPEL_TRY_STATUS(write_file_atomic(options.csv, report::suite_csv(suite)));
    CUPEL_TRY_STATUS(write_file_atomic(beside(options.csv, "-candidates"),
                                       report::suite_candidates_csv(entries)));
    CUPEL_TRY_STATUS(
        write_file_atomic(beside(options.csv, "-curves"), report::suite_curves_csv(entries)));
  }
  print(options.json ? report::suite_json(suite) : report::suite_text(suite, style_for(stdout)));
  return {};
}

std::vector<std::string> strategies_of(const Options& options) {
  const auto named = listed(options.strategy);
  if (!named.empty()) return named;
  return {run_options(options, Task()).strategy};  // the default
}

// A suite whose every task would fail for one reason says so before the first.
Status check_suite(const std::vector<std::string>& strategies, const Options& options) {
  for (const std::string& strategy : strategies) {
    Options own = options;
    own.strategy = strategy;
    CUPEL_TRY_STATUS(check_strategy(run_options(own, Task())));
  }
  CUPEL_TRY(const AgentWiring wiring,
            wire_agents(run_options(options, Task()), options.prices, Asks::no));
  return check_budget(options.budgets, wiring);
}

}  // namespace

Result<int> run_suite(const Options& options) {
  CUPEL_TRY(const auto files, task_files(options.suite_tasks));
  engine::SuitePlan plan;
  plan.tasks = names_of(files);
  plan.strategies = strategies_of(options);
  CUPEL_TRY_STATUS(check_suite(plan.strategies, options));
  plan.budget = budget_of(options.budgets);
  CUPEL_TRY(const std::string id, suite_id(files, plan, options));
  plan.directory = (options.run_dir.empty() ? runs_directory() : fs::path(options.run_dir)) / id;
  const StopFlag& stop = stop_on_signals();
  const auto job = [&](const engine::SuiteJob& one) {
    return run_one(one, files[one.task], id, options);
  };
  CUPEL_TRY(const auto entries, engine::run_suite(plan, job, stop));
  CUPEL_TRY_STATUS(
      print_suite(report::make_suite(id, entries, options.with_degenerate), entries, options));
  return stop.raised() ? k_exit_interrupted : k_exit_good;
}

}  // namespace cupel::cli
