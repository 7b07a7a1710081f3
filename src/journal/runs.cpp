#include "journal/runs.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <system_error>
#include <tuple>

#include "base/files.h"
#include "base/hash.h"
#include "journal/database.h"
#include "journal/reader.h"

namespace cupel::journal {
namespace fs = std::filesystem;
namespace {

// Hex digits in a run's id: 16 million runs, so that a clash is not expected.
constexpr std::size_t k_run_digits = 6;
constexpr const char* k_tags_file = "tags";
// Characters of the task's name in a run's id: a directory name that fits a terminal.
constexpr std::size_t k_name_chars_max = 40;

Status fill(RunSummary& summary) {
  CUPEL_TRY(const Database database, Database::open_for_reading(journal_file(summary.directory)));
  CUPEL_TRY(const std::vector<Event> started, database.events_of_kind(kind::k_run_started));
  if (started.empty()) return input_error("this run ended before it began");
  CUPEL_TRY(const RunStarted body, decode_run_started(started.front().body));
  CUPEL_TRY(summary.judged, database.count(kind::k_judged));
  CUPEL_TRY(const std::int64_t finished, database.count(kind::k_finished));
  summary.run_id = body.run_id;
  summary.task_name = body.task.name;
  summary.started_wall_ns = started.front().wall_ns;
  summary.finished = finished > 0;
  return {};
}

RunSummary summarize(const fs::path& directory) {
  RunSummary summary;
  summary.directory = directory;
  summary.run_id = directory.filename().string();
  const auto outcome = fill(summary);
  if (!outcome) summary.problem = outcome.error().describe();
  return summary;
}

bool is_older(const RunSummary& left, const RunSummary& right) {
  return std::tie(left.started_wall_ns, left.run_id) <
         std::tie(right.started_wall_ns, right.run_id);
}

Result<fs::path> latest_of(const std::vector<RunSummary>& runs, const fs::path& runs_dir) {
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (run->problem.empty()) return run->directory;
  }
  return input_error("there is no run yet", runs_dir.string(), "start one with `cupel optimize`");
}

tl::unexpected<Error> several(std::string_view argument, const std::vector<RunSummary>& matches) {
  std::string list;
  for (const RunSummary& run : matches) list += (list.empty() ? "" : ", ") + run.run_id;
  return input_error("'" + std::string(argument) + "' fits several runs: " + list, "",
                     "type more of the id");
}

}  // namespace

Result<std::vector<RunSummary>> list_runs(const fs::path& runs_dir) {
  std::vector<RunSummary> runs;
  std::error_code problem;
  if (!fs::exists(runs_dir, problem) && !problem) return runs;
  for (fs::directory_iterator entry(runs_dir, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    if (fs::exists(journal_file(entry->path()), problem)) runs.push_back(summarize(entry->path()));
  }
  if (problem) {
    return environment_error("cannot list the runs: " + problem.message(), runs_dir.string());
  }
  std::sort(runs.begin(), runs.end(), &is_older);
  return runs;
}

std::vector<std::string> tags_of(const fs::path& run_dir) {
  std::ifstream file(run_dir / k_tags_file);
  std::vector<std::string> tags;
  for (std::string line; std::getline(file, line);) tags.push_back(line);
  return tags;
}

Status toggle_tag(const fs::path& run_dir, const std::string& tag) {
  const bool is_word = !tag.empty() && std::all_of(tag.begin(), tag.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '.';
  });
  if (!is_word || tag == "latest") {
    return input_error("'" + tag + "' is no tag", "", "letters, digits, - _ . and not `latest`");
  }
  std::vector<std::string> tags = tags_of(run_dir);
  if (std::erase(tags, tag) == 0) tags.push_back(tag);
  std::string text;
  for (const std::string& each : tags) text += each + "\n";
  return write_file_atomic(run_dir / k_tags_file, text);
}

Result<fs::path> resolve_run(const fs::path& runs_dir, std::string_view argument) {
  const fs::path path(argument);
  if (!argument.empty() && holds_run(path)) return path;
  CUPEL_TRY(const std::vector<RunSummary> runs, list_runs(runs_dir));
  if (argument == "latest") return latest_of(runs, runs_dir);
  std::vector<RunSummary> matches, tagged;
  for (const RunSummary& run : runs) {
    if (run.run_id == argument) return run.directory;
    const std::vector<std::string> tags = tags_of(run.directory);
    if (std::find(tags.begin(), tags.end(), argument) != tags.end()) {
      tagged.push_back(run);
    }
    if (!argument.empty() && run.run_id.starts_with(argument)) matches.push_back(run);
  }
  if (!tagged.empty()) matches = tagged;
  if (matches.size() > 1) return several(argument, matches);
  if (matches.empty()) {
    return input_error("there is no run '" + std::string(argument) + "'", runs_dir.string(),
                       "name a run's directory, its id, or `latest`");
  }
  return matches.front().directory;
}

void discard_run(Journal journal) {
  const fs::path directory = journal.directory();
  { const Journal closed = std::move(journal); }
  std::error_code ignored;
  for (const char* name : {"journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "lock",
                           "winner.py", k_tags_file}) {
    fs::remove(directory / name, ignored);
  }
  fs::remove(directory, ignored);  // fails where the user keeps other files
}

std::string make_run_id(std::string_view task_name, std::int64_t wall_ns, std::uint64_t salt) {
  const std::string digest = Hasher("run")
                                 .add("task", task_name)
                                 .add("wall_ns", wall_ns)
                                 .add("salt", static_cast<std::int64_t>(salt))
                                 .finish();
  std::string name;
  for (const char c : task_name.substr(0, k_name_chars_max)) {
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '-';
  }
  return digest.substr(0, k_run_digits) + "-" + name;
}

}  // namespace cupel::journal
