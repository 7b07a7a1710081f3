// Reading a run's journal, beside its writer or long after it. All functions are thread-safe
// and change nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "journal/event.h"
#include "journal/state.h"
#include "model/evidence.h"
#include "model/run.h"

namespace cupel::journal {

class Database;

// RUN_DIR/journal.sqlite.
std::filesystem::path journal_file(const std::filesystem::path& run_dir);
// Its journal is there; a name that no file can have holds none.
bool holds_run(const std::filesystem::path& run_dir);

// The fold of a journal's events. An input error names the event that cannot be read.
Result<RunState> fold(const std::filesystem::path& run_dir, const Database& database);
Result<RunState> read_state(const std::filesystem::path& run_dir);

// The run as the journal tells it, finished or not.
Result<RunRecord> read_run(const std::filesystem::path& run_dir);

// Hands over one event after the other, evidence left out, until one is refused.
Status for_each_event(const std::filesystem::path& run_dir,
                      const std::function<Status(const Event&)>& take);

// Every event in order; with the evidence this may be tens of megabytes.
Result<std::vector<Event>> read_events(const std::filesystem::path& run_dir,
                                       bool with_evidence = true);

// What `cupel why` shows: all events about one proposal and its candidate, in order. `id` is a
// proposal's or candidate's id or the beginning of one; an input error if it fits none or
// several (which it then lists).
Result<std::vector<Event>> events_about(const std::filesystem::path& run_dir, std::string_view id);

// The whole file is read and checked.
Status check_integrity(const std::filesystem::path& run_dir);

}  // namespace cupel::journal
