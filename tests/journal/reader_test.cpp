#include "journal/reader.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "journal/samples.h"

namespace cupel::journal {
namespace {

class Reader : public testing::Test {
 protected:
  Reader() : directory_(scratch()), journal_(open_or_die(directory_.path(), clock_)) {
    write_sample_run(journal_);
  }
  std::vector<std::string> kinds_about(std::string_view id) const {
    const auto events = events_about(directory_.path(), id);
    std::vector<std::string> kinds;
    if (!events) return {events.error().describe()};
    for (const Event& event : *events) kinds.push_back(event.kind);
    return kinds;
  }

  FakeClock clock_;
  TempDir directory_;
  Journal journal_;
};

using Kinds = std::vector<std::string>;

TEST_F(Reader, ReadsARunBesideItsWriter) {
  const auto record = read_run(directory_.path());
  ASSERT_TRUE(record) << record.error().describe();
  EXPECT_EQ(record->directory, directory_.path().string());
  EXPECT_EQ(record->judged.size(), 2u);
  EXPECT_FALSE(record->finished);
}

TEST_F(Reader, LeavesEvidenceOutWhenAsked) {
  EXPECT_EQ(read_events(directory_.path(), true)->size(),
            read_events(directory_.path(), false)->size() + 3);
}

TEST_F(Reader, FindsTheStoryOfAProposal) {
  EXPECT_EQ(kinds_about("p0001"), (Kinds{"proposed", "measured", "judged", "decision"}));
  EXPECT_EQ(kinds_about("p0002"), (Kinds{"proposed", "measured", "faulted", "measured", "judged"}));
  EXPECT_EQ(kinds_about("p0003"), (Kinds{"proposed", "rejected"}));
}

TEST_F(Reader, FindsTheSameStoryByTheCandidate) {
  const std::string id = sample_candidate(1).id;
  EXPECT_EQ(kinds_about(id), kinds_about("p0001"));
  EXPECT_EQ(kinds_about(short_id(id)), kinds_about("p0001"));
}

TEST_F(Reader, AnAmbiguousPrefixListsItsMatches) {
  const auto events = events_about(directory_.path(), "p000");
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().tag, ErrorTag::input);
  EXPECT_NE(events.error().what.find("p0001"), std::string::npos);
  EXPECT_NE(events.error().what.find("p0005"), std::string::npos);
  EXPECT_NE(events.error().what.find(short_id(sample_candidate(5).id)), std::string::npos);
}

TEST_F(Reader, AnIdInFullBeatsAPrefix) {
  Proposed longer = sample_proposed(7);
  longer.proposal.id = "p00011";
  ASSERT_TRUE(journal_.propose(longer));
  EXPECT_EQ(kinds_about("p0001").size(), 4u);
}

TEST_F(Reader, TwoProposalsOfOneProgramAreOneStory) {
  Proposed again = sample_proposed(1);
  again.proposal.id = "p0006";
  ASSERT_TRUE(journal_.propose(again));
  ASSERT_TRUE(journal_.reject({"p0006", again.candidate.id, "duplicate"}));
  EXPECT_EQ(kinds_about(short_id(again.candidate.id)),
            (Kinds{"proposed", "measured", "judged", "decision", "proposed", "rejected"}));
}

TEST_F(Reader, AnUnknownIdIsAnInputError) {
  for (const std::string_view id : {"p0009", "zzz", "", "'; DROP TABLE events"}) {
    const auto events = events_about(directory_.path(), id);
    ASSERT_FALSE(events);
    EXPECT_EQ(events.error().tag, ErrorTag::input);
  }
}

TEST_F(Reader, AnUnreadableEventIsNamed) {
  SQLite::Database(journal_file(directory_.path()).string(), SQLite::OPEN_READWRITE)
      .exec("INSERT INTO events(wall_ns, kind, subject, body) VALUES(0, 'decision', '', '{')");
  const auto record = read_run(directory_.path());
  ASSERT_FALSE(record);
  EXPECT_NE(record.error().where.find("decision"), std::string::npos);
}

TEST_F(Reader, IntegrityOfASoundFile) {
  EXPECT_TRUE(check_integrity(directory_.path()));
}

TEST(ReaderWithoutRun, SaysThatThereIsNone) {
  const TempDir directory = scratch();
  const auto record = read_run(directory.path());
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().tag, ErrorTag::input);
}

}  // namespace
}  // namespace cupel::journal
