#include "suite_files.h"

#include <algorithm>

#include "journal/reader.h"
#include "wiring.h"

namespace cupel::cli {
namespace fs = std::filesystem;
namespace {

// Directories in it, by name; parts are numbers of one digit (engine::k_parts_max).
std::vector<fs::path> directories_in(const fs::path& parent) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    if (entry.is_directory(ignored)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool is_suite(const fs::path& directory) {
  if (journal::holds_run(directory)) return false;
  for (const fs::path& strategy : directories_in(directory)) {
    for (const fs::path& task : directories_in(strategy)) {
      if (journal::holds_run(task / "1")) return true;
    }
  }
  return false;
}

// The directory "pike-b-no-efa" is that of "pike-b:no-efa".
bool names(std::string strategy, const std::string& directory) {
  std::replace(strategy.begin(), strategy.end(), ':', '-');
  return strategy == directory;
}

report::SuiteEntry read_entry(const fs::path& task, const std::string& strategy) {
  report::SuiteEntry entry{strategy, task.filename(), {}, ""};
  for (const fs::path& part : directories_in(task)) {
    if (!journal::holds_run(part)) continue;
    auto record = journal::read_run(part);
    if (!record) {
      entry.problem = record.error().describe();
      break;
    }
    if (names(record->options.strategy, strategy)) entry.strategy = record->options.strategy;
    entry.runs.push_back(std::move(*record));
  }
  return entry;
}

}  // namespace

std::optional<fs::path> suite_directory(const std::string& argument) {
  if (argument.empty()) return std::nullopt;
  for (const fs::path& path : {fs::path(argument), runs_directory() / argument}) {
    if (is_suite(path)) return fs::absolute(path).lexically_normal();
  }
  return std::nullopt;
}

Result<std::vector<report::SuiteEntry>> read_suite(const fs::path& directory) {
  std::vector<report::SuiteEntry> entries;
  for (const fs::path& strategy : directories_in(directory)) {
    for (const fs::path& task : directories_in(strategy)) {
      entries.push_back(read_entry(task, strategy.filename()));
    }
  }
  if (entries.empty()) return input_error("no runs of a suite lie there", directory.string());
  return entries;
}

}  // namespace cupel::cli
