#include "journal/database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <optional>
#include <utility>

namespace cupel::journal {
namespace {

// A reader may meet the writer's checkpoint; it waits this long.
constexpr int k_busy_timeout_ms = 10'000;

// STRICT: a number is never stored as text. REPLACE fires no DELETE trigger, hence one more.
// events_once is the promise that a run starts once, a task is admitted once and a proposal gets
// one candidate and one verdict. Every index is one more page to log with each event, so there is
// one, and the promise is kept by a look into it.
constexpr const char* k_schema = R"sql(
CREATE TABLE events(
  seq INTEGER PRIMARY KEY,
  wall_ns INTEGER NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_subject ON events(subject, kind);
CREATE TRIGGER events_once BEFORE INSERT ON events
  WHEN NEW.kind IN ('run_started', 'admitted', 'recalled', 'proposed', 'parsed', 'answered',
                    'judged', 'rejected', 'finished')
    AND EXISTS (SELECT 1 FROM events WHERE subject = NEW.subject AND kind = NEW.kind)
  BEGIN SELECT RAISE(ABORT, 'this is in the journal already'); END;
CREATE TRIGGER events_keep BEFORE DELETE ON events
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER events_no_replace BEFORE INSERT ON events
  WHEN EXISTS (SELECT 1 FROM events WHERE seq = NEW.seq)
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER events_freeze BEFORE UPDATE ON events
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
)sql";

constexpr const char* k_insertion =
    "INSERT INTO events(wall_ns, kind, subject, body) VALUES(?,?,?,?)";
constexpr const char* k_columns = "SELECT seq, wall_ns, kind, subject, body FROM events ";

tl::unexpected<Error> translate(const SQLite::Exception& problem, const std::string& file) {
  const std::string what = std::string("the journal: ") + problem.what();
  switch (problem.getErrorCode() & 0xff) {
    case SQLITE_NOTADB:
      return input_error("this file is not a journal of Cupel", file, "name a run's directory");
    case SQLITE_CORRUPT:
      return input_error("the journal is damaged: " + std::string(problem.what()), file,
                         "restore it from a copy, or rescue its rows with sqlite3's .recover");
    case SQLITE_FULL:
      return environment_error(what, file, "free space on the disk, then resume the run");
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_IOERR:
    case SQLITE_PERM:
      return environment_error(what, file, "check the disk and the directory's permissions");
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
      return bug_error(what, file);
    default:
      return infra_error(what, file);
  }
}

bool is_empty(SQLite::Database& sqlite) {
  return sqlite.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0;
}

// A kill can fall between the making of the file and its schema: an empty file is a new one.
void make_schema(SQLite::Database& sqlite) {
  SQLite::Transaction transaction(sqlite);
  sqlite.exec(k_schema);
  sqlite.exec("PRAGMA application_id = " + std::to_string(k_application_id));
  sqlite.exec("PRAGMA user_version = " + std::to_string(k_schema_version));
  transaction.commit();
}

Status check_origin(SQLite::Database& sqlite, const std::string& file) {
  if (is_empty(sqlite)) {
    return input_error("the journal is empty: its run ended before it began", file,
                       "start the run again");
  }
  if (sqlite.execAndGet("PRAGMA application_id").getInt() != k_application_id) {
    return input_error("this SQLite file is not a journal of Cupel", file,
                       "name a run's directory");
  }
  const int version = sqlite.execAndGet("PRAGMA user_version").getInt();
  if (version > k_schema_version) {
    return input_error(
        "the journal was written by a newer Cupel (schema " + std::to_string(version) + ")", file,
        "update Cupel");
  }
  return {};
}

// WAL and synchronous=NORMAL: a commit is in the kernel's page cache when append() returns, so
// kill -9 loses no event that was appended. A power cut or a kernel crash may lose the last
// commits (those since the last checkpoint), never their order and never the file's soundness.
// An fsync a commit would cost milliseconds and save what a run redoes in seconds.
void configure_for_append(SQLite::Database& sqlite) {
  sqlite.exec("PRAGMA journal_mode = WAL");
  sqlite.exec("PRAGMA synchronous = NORMAL");
  // Pages that every append changes go into the main file once a checkpoint: 16 MB of log.
  sqlite.exec("PRAGMA wal_autocheckpoint = 4000");
}

Status check_soundness(SQLite::Database& sqlite, const std::string& file, const char* pragma) {
  SQLite::Statement query(sqlite, pragma);
  std::string first;
  if (query.executeStep()) first = query.getColumn(0).getString();
  if (first == "ok") return {};
  return input_error("the journal is damaged: " + first, file,
                     "restore it from a copy, or rescue its rows with sqlite3's .recover");
}

Event event_of(SQLite::Statement& row) {
  return {row.getColumn(0).getInt64(), row.getColumn(1).getInt64(), row.getColumn(2).getString(),
          row.getColumn(3).getString(), row.getColumn(4).getString()};
}

std::string placeholders(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += i ? ",?" : "?";
  return text;
}

// WHERE for events_about: ids are long hex numbers, so finding one in a body's text is exact.
std::string condition_about(std::size_t subjects, std::size_t ids) {
  std::string where = "WHERE subject IN (" + placeholders(subjects) + ")";
  for (std::size_t i = 0; i < ids; ++i) {
    where += " OR (kind NOT IN ('measured', 'prompted') AND instr(body, ?) > 0)";
  }
  return where + " ORDER BY seq";
}

}  // namespace

struct Database::Connection {
  std::string file;
  SQLite::Database sqlite;
  std::optional<SQLite::Statement> insertion;  // compiled once: appends are many and small
  std::optional<SQLite::Transaction> open;     // of what was appended and is not kept yet
  bool gathers = false;
  std::optional<Error> broken;  // what was gathered is lost

  Connection(const std::string& path, int flags)
      : file(path), sqlite(path, flags, k_busy_timeout_ms) {}

  Result<std::vector<Event>> select(const std::string& where,
                                    const std::vector<std::string>& values) {
    try {
      SQLite::Statement query(sqlite, k_columns + where);
      for (std::size_t i = 0; i < values.size(); ++i) {
        query.bind(static_cast<int>(i) + 1, values[i]);
      }
      std::vector<Event> events;
      while (query.executeStep()) events.push_back(event_of(query));
      return events;
    } catch (const SQLite::Exception& problem) {
      return translate(problem, file);
    }
  }

  // All of them, or none and an exception.
  void insert_all(std::vector<Event>& events) {
    if (!open) open.emplace(sqlite, SQLite::TransactionBehavior::IMMEDIATE);
    const bool guarded = gathers && events.size() > 1;  // one statement is whole by itself
    try {
      if (guarded) sqlite.exec("SAVEPOINT one_append");
      for (Event& event : events) event.seq = insert(event);
      if (guarded) sqlite.exec("RELEASE one_append");
    } catch (const SQLite::Exception& problem) {
      const bool is_lost = !(guarded ? undo_append() : is_open());
      if (!gathers || is_lost) open.reset();  // rolls back
      if (gathers && is_lost) broken = translate(problem, file).value();
      throw;
    }
  }

  // False where SQLite has rolled back all of the transaction, as it may when the disk is full.
  bool is_open() { return sqlite3_get_autocommit(sqlite.getHandle()) == 0; }

  // Takes back what was not appended whole. As is_open().
  bool undo_append() {
    try {
      sqlite.exec("ROLLBACK TO one_append; RELEASE one_append");
    } catch (const SQLite::Exception&) {
      return false;
    }
    return is_open();
  }

  std::int64_t insert(const Event& event) {
    if (!insertion) insertion.emplace(sqlite, k_insertion);
    SQLite::Statement& statement = *insertion;
    static_cast<void>(statement.tryReset());  // tells of the last failure, which was told before
    statement.bind(1, event.wall_ns);
    statement.bindNoCopy(2, event.kind);
    statement.bindNoCopy(3, event.subject);
    statement.bindNoCopy(4, event.body);
    statement.exec();
    statement.reset();
    return sqlite.getLastInsertRowid();
  }
};

Database::Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Database::~Database() = default;
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;

Result<Database> Database::open_for_append(const std::filesystem::path& file) {
  try {
    auto connection =
        std::make_unique<Connection>(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    if (is_empty(connection->sqlite)) {
      configure_for_append(connection->sqlite);
      make_schema(connection->sqlite);
    }
    CUPEL_TRY_STATUS(check_origin(connection->sqlite, connection->file));
    configure_for_append(connection->sqlite);
    CUPEL_TRY_STATUS(
        check_soundness(connection->sqlite, connection->file, "PRAGMA quick_check(1)"));
    return Database(std::move(connection));
  } catch (const SQLite::Exception& problem) {
    return translate(problem, file.string());
  }
}

Result<Database> Database::open_for_reading(const std::filesystem::path& file) {
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) {
    return input_error("there is no journal here", file.string(), "name a run's directory");
  }
  try {
    auto connection = std::make_unique<Connection>(file.string(), SQLite::OPEN_READONLY);
    CUPEL_TRY_STATUS(check_origin(connection->sqlite, connection->file));
    return Database(std::move(connection));
  } catch (const SQLite::Exception& problem) {
    return translate(problem, file.string());
  }
}

Status Database::append(std::vector<Event>& events) {
  for (const Event& event : events) {
    if (event.body.size() > k_body_bytes_max) {
      return bug_error("an event of " + std::to_string(event.body.size()) + " bytes is too large",
                       event.kind + " " + event.subject);
    }
  }
  if (connection_->broken) return fail(*connection_->broken);
  try {
    connection_->insert_all(events);
  } catch (const SQLite::Exception& problem) {
    return translate(problem, connection_->file);
  }
  return connection_->gathers ? Status() : keep();
}

void Database::gather() {
  connection_->gathers = true;
}

Status Database::keep() {
  if (connection_->broken) return fail(*connection_->broken);
  const bool gathered = std::exchange(connection_->gathers, false);
  if (!connection_->open) return {};
  try {
    connection_->open->commit();
    connection_->open.reset();
    return {};
  } catch (const SQLite::Exception& problem) {
    const Error error = translate(problem, connection_->file).value();
    connection_->open.reset();  // rolls back
    if (gathered) connection_->broken = error;
    return fail(error);
  }
}

Status Database::for_each(bool with_bulk, const std::function<Status(Event)>& take) const {
  const std::string where = with_bulk ? "" : "WHERE kind NOT IN ('measured', 'prompted') ";
  try {
    SQLite::Statement query(connection_->sqlite, k_columns + where + "ORDER BY seq");
    while (query.executeStep()) CUPEL_TRY_STATUS(take(event_of(query)));
    return {};
  } catch (const SQLite::Exception& problem) {
    return translate(problem, connection_->file);
  }
}

Result<std::vector<Event>> Database::events(bool with_bulk) const {
  std::vector<Event> all;
  CUPEL_TRY_STATUS(for_each(with_bulk, [&](Event event) -> Status {
    all.push_back(std::move(event));
    return {};
  }));
  return all;
}

Result<std::vector<Event>> Database::events_of_kind(std::string_view kind) const {
  return connection_->select("WHERE kind = ? ORDER BY seq", {std::string(kind)});
}

Result<std::vector<Event>> Database::events_about(const std::vector<std::string>& subjects,
                                                  const std::vector<std::string>& ids) const {
  std::vector<std::string> values = subjects;
  values.insert(values.end(), ids.begin(), ids.end());
  return connection_->select(condition_about(subjects.size(), ids.size()), values);
}

Result<std::int64_t> Database::count(std::string_view kind) const {
  try {
    SQLite::Statement query(connection_->sqlite, "SELECT count(*) FROM events WHERE kind = ?");
    query.bind(1, std::string(kind));
    query.executeStep();
    return query.getColumn(0).getInt64();
  } catch (const SQLite::Exception& problem) {
    return translate(problem, connection_->file);
  }
}

Status Database::checkpoint() {
  try {
    SQLite::Statement pragma(connection_->sqlite, "PRAGMA wal_checkpoint(TRUNCATE)");
    pragma.executeStep();
    return {};
  } catch (const SQLite::Exception& problem) {
    return translate(problem, connection_->file);
  }
}

Status Database::check_integrity() const {
  try {
    return check_soundness(connection_->sqlite, connection_->file, "PRAGMA integrity_check(1)");
  } catch (const SQLite::Exception& problem) {
    return translate(problem, connection_->file);
  }
}

}  // namespace cupel::journal
