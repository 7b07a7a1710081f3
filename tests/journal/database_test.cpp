#include "journal/database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <fstream>

#include "journal/samples.h"

namespace cupel::journal {
namespace {

Event event_with(std::string kind, std::string body) {
  return {0, 7, std::move(kind), "subject", std::move(body)};
}

std::filesystem::path file_in(const TempDir& directory) {
  return directory.path() / "j.sqlite";
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// An input error that says `words`, from both ways to open.
void expect_refused(const std::filesystem::path& file, const std::string& words) {
  const auto reader = Database::open_for_reading(file);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().tag, ErrorTag::input);
  EXPECT_NE(reader.error().what.find(words), std::string::npos) << reader.error().describe();
  EXPECT_NE(reader.error().where.find(file.string()), std::string::npos);
  const auto writer = Database::open_for_append(file);
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().what.find(words), std::string::npos) << writer.error().describe();
}

TEST(Database, NumbersEventsWithoutAGap) {
  const TempDir directory = scratch();
  auto database = Database::open_for_append(file_in(directory));
  ASSERT_TRUE(database) << database.error().describe();
  std::vector<Event> two{event_with("measured", "{}"), event_with("decision", "{}")};
  std::vector<Event> one{event_with("decision", "{\"a\":1}")};
  ASSERT_TRUE(database->append(two));
  ASSERT_TRUE(database->append(one));
  EXPECT_EQ(two[1].seq, 2);
  EXPECT_EQ(one[0].seq, 3);
  EXPECT_EQ(database->events(true)->size(), 3u);
  EXPECT_EQ(database->events(false)->size(), 2u);
  EXPECT_EQ(*database->count("decision"), 2);
}

TEST(Database, AppendsAllOrNothing) {
  const TempDir directory = scratch();
  auto database = Database::open_for_append(file_in(directory));
  std::vector<Event> events{event_with("decision", "{}"), event_with("finished", "{}"),
                            event_with("finished", "{}")};
  const auto outcome = database->append(events);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().tag, ErrorTag::bug);
  EXPECT_EQ(database->events(true)->size(), 0u);
}

TEST(Database, ReaderSeesWhatAWriterAppends) {
  const TempDir directory = scratch();
  auto writer = Database::open_for_append(file_in(directory));
  auto reader = Database::open_for_reading(file_in(directory));
  ASSERT_TRUE(reader) << reader.error().describe();
  EXPECT_EQ(reader->events(true)->size(), 0u);
  std::vector<Event> events{event_with("decision", "{}")};
  ASSERT_TRUE(writer->append(events));
  EXPECT_EQ(reader->events(true)->size(), 1u);
  EXPECT_FALSE(reader->append(events));
}

TEST(Database, KeepsLargeBodiesAndOddBytes) {
  const TempDir directory = scratch();
  auto database = Database::open_for_append(file_in(directory));
  std::string body(20u << 20, 'x');
  body[5] = '\0';
  body += "\"'; DROP TABLE events; -- \xc3\xa9";
  std::vector<Event> events{event_with("measured", body)};
  ASSERT_TRUE(database->append(events));
  const auto read = database->events(true);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->front().body == body);
}

TEST(Database, RefusesABodyBeyondTheLimit) {
  const TempDir directory = scratch();
  auto database = Database::open_for_append(file_in(directory));
  std::vector<Event> events{event_with("measured", std::string(k_body_bytes_max + 1, 'x'))};
  EXPECT_FALSE(database->append(events));
}

TEST(Database, RefusesATextFile) {
  const TempDir directory = scratch();
  write_text(file_in(directory), std::string(4096, 'x'));
  expect_refused(file_in(directory), "not a journal");
}

TEST(Database, RefusesAForeignSqliteFile) {
  const TempDir directory = scratch();
  SQLite::Database(file_in(directory).string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE bookmarks(url TEXT)");
  expect_refused(file_in(directory), "not a journal");
}

TEST(Database, RefusesANewerSchema) {
  const TempDir directory = scratch();
  ASSERT_TRUE(Database::open_for_append(file_in(directory)));
  SQLite::Database(file_in(directory).string(), SQLite::OPEN_READWRITE)
      .exec("PRAGMA user_version = 99");
  expect_refused(file_in(directory), "newer Cupel");
}

TEST(Database, RefusesADamagedFile) {
  const TempDir directory = scratch();
  {
    auto database = Database::open_for_append(file_in(directory));
    for (int i = 0; i < 200; ++i) {
      std::vector<Event> events{event_with("decision", std::string(1000, 'x'))};
      ASSERT_TRUE(database->append(events));
    }
    ASSERT_TRUE(database->check_integrity());
  }
  std::fstream file(file_in(directory), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(5 * 4096);
  file << std::string(20 * 4096, '\x5a');
  file.close();
  const auto writer = Database::open_for_append(file_in(directory));
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().tag, ErrorTag::input);
  EXPECT_NE(writer.error().what.find("damaged"), std::string::npos);
  const auto reader = Database::open_for_reading(file_in(directory));
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->check_integrity());
}

TEST(Database, AnEmptyFileIsARunThatNeverBegan) {
  const TempDir directory = scratch();
  write_text(file_in(directory), "");
  const auto reader = Database::open_for_reading(file_in(directory));
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().what.find("before it began"), std::string::npos);
  EXPECT_TRUE(Database::open_for_append(file_in(directory))) << "a writer mends it";
  EXPECT_TRUE(Database::open_for_reading(file_in(directory)));
}

TEST(Database, AMissingFileIsSaidToBeMissing) {
  const TempDir directory = scratch();
  const auto reader = Database::open_for_reading(file_in(directory));
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().what.find("no journal here"), std::string::npos);
}

TEST(Database, CheckpointLeavesOneFile) {
  const TempDir directory = scratch();
  auto database = Database::open_for_append(file_in(directory));
  std::vector<Event> events{event_with("decision", "{}")};
  ASSERT_TRUE(database->append(events));
  ASSERT_TRUE(database->checkpoint());
  EXPECT_EQ(std::filesystem::file_size(file_in(directory).string() + "-wal"), 0u);
}

// As a disk that is full: no file of this process may grow beyond so much.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes_max) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes_max, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

// What a turn has gathered may not fit the cache, and is written before it is kept. Where that
// fails SQLite takes back the whole turn.
TEST(Database, AFullDiskIsToldAsOneAndLosesWholeTurns) {
  const TempDir directory = scratch();
  auto database = Database::open_for_append(file_in(directory));
  std::vector<Event> kept{event_with("decision", "{}")};
  ASSERT_TRUE(database->append(kept));
  database->gather();
  std::vector<Event> small{event_with("decision", "{}")};
  ASSERT_TRUE(database->append(small));
  {
    const FullDisk full(4 << 20);
    const std::string body = "\"" + std::string(16 << 20, 'x') + "\"";
    std::vector<Event> large{event_with("measured", body), event_with("decision", "{}")};
    const auto outcome = database->append(large);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().tag, ErrorTag::environment) << outcome.error().describe();
  }
  std::vector<Event> later{event_with("decision", "{}")};
  const auto refused = database->append(later);
  ASSERT_FALSE(refused) << "it would be without what was gathered before it";
  EXPECT_EQ(refused.error().tag, ErrorTag::environment) << refused.error().describe();
  EXPECT_EQ(database->events(true)->size(), 1U);
}

}  // namespace
}  // namespace cupel::journal
