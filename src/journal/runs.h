// Finding runs below a directory of runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "journal/journal.h"

namespace cupel::journal {

struct RunSummary {
  std::string run_id;  // the directory's name where the journal cannot be read
  std::filesystem::path directory;
  std::string task_name;
  std::int64_t started_wall_ns = 0;
  std::int64_t judged = 0;
  bool finished = false;
  std::string problem;  // why the journal cannot be read; empty for a sound one
};

// Oldest first; directories without a journal are left out, a missing `runs_dir` is empty.
Result<std::vector<RunSummary>> list_runs(const std::filesystem::path& runs_dir);

// Words that a user gave a run, in order: RUN_DIR/tags, a line each.
std::vector<std::string> tags_of(const std::filesystem::path& run_dir);
// Gives a run a tag, or takes it away. An input error for what is no word.
Status toggle_tag(const std::filesystem::path& run_dir, const std::string& tag);

// The directory that a RUN argument names: a path, "latest", a tag, or a run's id or the beginning
// of one. An input error if it names none or several (which it then lists).
Result<std::filesystem::path> resolve_run(const std::filesystem::path& runs_dir,
                                          std::string_view argument);

// Takes a run's files away, and its directory if nothing else is in it.
void discard_run(Journal journal);

// "3fa41c-softmax": the digits come first, so that a few of them name the run.
std::string make_run_id(std::string_view task_name, std::int64_t wall_ns, std::uint64_t salt);

}  // namespace cupel::journal
