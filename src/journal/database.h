// The SQLite file below a journal. All SQL of Cupel is in database.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "journal/event.h"

namespace cupel::journal {

// Version of the schema; a file of a newer one is refused.
inline constexpr int k_schema_version = 2;
// "Cupl": marks the file as ours (PRAGMA application_id).
inline constexpr std::int32_t k_application_id = 0x4375706c;
// One event's body at most; SQLite itself stops at 1 GB. A round's evidence is about 1 MB.
inline constexpr std::size_t k_body_bytes_max = 256u << 20;

// One connection. Not thread-safe. Errors: `input` for a file that is damaged, foreign or newer,
// `environment` for a full or read-only disk, `bug` for an event that the schema forbids.
class Database {
 public:
  // Opens for appending; makes the file and its schema where there is none.
  static Result<Database> open_for_append(const std::filesystem::path& file);
  // Opens for reading, beside a writer or without one.
  static Result<Database> open_for_reading(const std::filesystem::path& file);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  // All of them or none. Sets each event's `seq`. A transaction of its own, unless events are being
  // gathered.
  Status append(std::vector<Event>& events);
  // From here on events survive a kill only once keep() has returned: one commit for many events.
  void gather();
  // Ends that and commits what was gathered. Where this fails it is lost, and all that follows
  // fails likewise.
  Status keep();

  // Hands over one event after the other, in the order of `seq`, until one is refused. Without
  // `with_bulk` evidence ("measured") and prompts ("prompted") are left out.
  Status for_each(bool with_bulk, const std::function<Status(Event)>& take) const;
  // The same, all at once.
  Result<std::vector<Event>> events(bool with_bulk) const;
  Result<std::vector<Event>> events_of_kind(std::string_view kind) const;
  // Those with one of `subjects`, and those, evidence and prompts aside, whose body mentions one of
  // `ids`.
  Result<std::vector<Event>> events_about(const std::vector<std::string>& subjects,
                                          const std::vector<std::string>& ids) const;
  Result<std::int64_t> count(std::string_view kind) const;

  // Moves what the write-ahead log holds into the main file and has the disk confirm it.
  Status checkpoint();
  // PRAGMA integrity_check: reads the whole file.
  Status check_integrity() const;

 private:
  struct Connection;
  explicit Database(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace cupel::journal
