#include "journal/journal.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "journal/reader.h"
#include "journal/samples.h"

namespace cupel::journal {
namespace {

TEST(Journal, MakesItsDirectoryAndBeginsEmpty) {
  const TempDir parent = scratch();
  const FakeClock clock;
  const Journal journal = open_or_die(parent.path() / "runs" / "one", clock);
  EXPECT_FALSE(journal.state().started);
  EXPECT_EQ(journal.elapsed_s(), 0);
  EXPECT_TRUE(std::filesystem::exists(journal_file(parent.path() / "runs" / "one")));
}

TEST(Journal, StateIsWhatTheEventsSay) {
  const TempDir directory = scratch();
  const FakeClock clock;
  Journal journal = open_or_die(directory.path(), clock);
  write_sample_run(journal);
  const RunState& state = journal.state();
  EXPECT_EQ(state.record.run_id, "run-1");
  EXPECT_EQ(state.record.task.name, "softmax");
  EXPECT_EQ(state.seeds.front().expected_compile_s, 20);
  EXPECT_EQ(state.record.facts.parameter_count, 42);
  EXPECT_EQ(state.record.admission.k, 8);
  EXPECT_EQ(state.start.files.front().id, sample_candidate(900).id);
  EXPECT_EQ(state.start.machine.at("cpu"), "two cores");
  ASSERT_EQ(state.record.judged.size(), 2u);
  EXPECT_EQ(state.record.judged[0].verdict.outcome, Outcome::faster);
  EXPECT_EQ(state.record.judged[0].candidate.source, sample_candidate(1).source);
  EXPECT_EQ(state.record.judged[0].seconds, 0.5);
  EXPECT_EQ(state.record.judged[1].verdict.outcome, Outcome::wrong);
  ASSERT_EQ(state.rejected.size(), 1u);
  EXPECT_EQ(state.rejected[0].why, "no time left");
  ASSERT_EQ(state.open.size(), 2u);
  EXPECT_EQ(state.open[0].proposal.id, sample_id(4));
  EXPECT_EQ(state.proposals_made, 5);
  EXPECT_FALSE(state.record.finished);
}

TEST(Journal, InfraFaultsAreCountedWhileTheProposalIsOpen) {
  const TempDir directory = scratch();
  const FakeClock clock;
  Journal journal = open_or_die(directory.path(), clock);
  write_sample_run(journal);
  ASSERT_TRUE(journal.fault(sample_judged(5, Outcome::infra_fault), {}));
  EXPECT_EQ(journal.state().open[0].faults, 0);
  EXPECT_EQ(journal.state().open[1].faults, 1);
}

TEST(Journal, ReopenedItStandsWhereItStood) {
  const TempDir directory = scratch();
  const FakeClock clock;
  {
    Journal journal = open_or_die(directory.path(), clock);
    write_sample_run(journal);
  }
  auto journal = Journal::reopen(directory.path(), clock);
  ASSERT_TRUE(journal) << journal.error().describe();
  EXPECT_EQ(journal->state().record.judged.size(), 2u);
  ASSERT_TRUE(journal->judge(sample_judged(4, Outcome::same), {}));
  EXPECT_EQ(journal->state().open.size(), 1u);
}

TEST(Journal, ReopenNeedsARun) {
  const TempDir directory = scratch();
  const FakeClock clock;
  const auto nothing = Journal::reopen(directory.path(), clock);
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().tag, ErrorTag::input);
  open_or_die(directory.path(), clock);
  const auto not_started = Journal::reopen(directory.path(), clock);
  ASSERT_FALSE(not_started);
  EXPECT_NE(not_started.error().what.find("before it began"), std::string::npos);
}

TEST(Journal, HasOneWriter) {
  const TempDir directory = scratch();
  const FakeClock clock;
  {
    const Journal first = open_or_die(directory.path(), clock);
    const auto second = Journal::open(directory.path(), clock);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().tag, ErrorTag::input);
    EXPECT_NE(second.error().what.find("another process"), std::string::npos);
  }
  EXPECT_TRUE(Journal::open(directory.path(), clock));
}

TEST(Journal, FinalTableAndWinnerAreKept) {
  const TempDir directory = scratch();
  const FakeClock clock;
  Journal journal = open_or_die(directory.path(), clock);
  write_sample_run(journal);
  const Candidate winner = sample_candidate(1);
  ASSERT_TRUE(journal.fault_table("a host died", {}));
  EXPECT_EQ(journal.state().table_faults, 1);
  const FinalTable table{
      {{"winner", winner.id, winner.label, sample_verdict(winner, Outcome::faster, 1.4)}}};
  ASSERT_TRUE(journal.table(table, {}));
  EXPECT_EQ(journal.state().table_faults, 0);
  ASSERT_TRUE(journal.finish({winner.id, "winner.py"}));
  const auto record = read_run(directory.path());
  ASSERT_TRUE(record) << record.error().describe();
  EXPECT_TRUE(record->finished);
  EXPECT_EQ(encode(record->table), encode(table));
  EXPECT_EQ(record->winner_id, winner.id);
  EXPECT_EQ(record->winner_path, (directory.path() / "winner.py").string());
}

TEST(Journal, AuditsGoIntoTheTable) {
  const TempDir directory = scratch();
  const FakeClock clock;
  Journal journal = open_or_die(directory.path(), clock);
  write_sample_run(journal);
  const Candidate winner = sample_candidate(1);
  const FinalTable table{
      {{"winner", winner.id, winner.label, sample_verdict(winner, Outcome::faster, 1.4)}}};
  ASSERT_TRUE(journal.table(table, {}));
  ASSERT_TRUE(journal.fault_audit("a host died", {}));
  EXPECT_EQ(journal.state().audit_faults, 1);
  ASSERT_TRUE(journal.audit(
      {winner.id, winner.label, sample_verdict(winner, Outcome::suspect, 1.4), 8}, {}));
  EXPECT_EQ(journal.state().audit_faults, 0);
  EXPECT_EQ(journal.state().audited_after, std::vector<std::size_t>{1});
  ASSERT_TRUE(journal.table({}, {}));
  const auto record = read_run(directory.path());
  ASSERT_TRUE(record) << record.error().describe();
  ASSERT_EQ(record->table.rows.size(), 1u);
  EXPECT_EQ(record->table.rows[0].role, "failed audit");
  const auto about = events_about(directory.path(), winner.id);
  ASSERT_TRUE(about);
  EXPECT_TRUE(std::any_of(about->begin(), about->end(),
                          [](const Event& event) { return event.kind == kind::k_audited; }));
}

TEST(Journal, TimeBetweenSittingsIsNobodys) {
  const TempDir directory = scratch();
  FakeClock clock;
  clock.advance_ns(1'000'000'000);
  {
    Journal journal = open_or_die(directory.path(), clock);
    ASSERT_TRUE(journal.begin_sitting());
    clock.advance_ns(2'000'000'000);
    ASSERT_TRUE(journal.start(sample_start()));
    clock.advance_ns(500'000'000);
    EXPECT_DOUBLE_EQ(journal.elapsed_s(), 2.5);
    clock.advance_ns(500'000'000);
    ASSERT_TRUE(journal.end_sitting("stopped"));
  }
  clock.advance_ns(3'600'000'000'000);
  Journal journal = open_or_die(directory.path(), clock);
  ASSERT_TRUE(journal.begin_sitting());
  clock.advance_ns(4'000'000'000);
  ASSERT_TRUE(journal.admit({}));
  EXPECT_DOUBLE_EQ(journal.state().record.wall_s, 7.0);
  EXPECT_EQ(journal.state().sittings, 2);
}

TEST(Journal, AFailedAppendChangesNothing) {
  const TempDir directory = scratch();
  const FakeClock clock;
  Journal journal = open_or_die(directory.path(), clock);
  write_sample_run(journal);
  const auto before = read_events(directory.path());
  journal.on_append([](std::string_view) -> Status { return infra_error("crash"); });
  EXPECT_FALSE(journal.judge(sample_judged(4, Outcome::same), {}));
  EXPECT_EQ(journal.state().open.size(), 2u);
  EXPECT_EQ(read_events(directory.path())->size(), before->size());
}

// A reader beside it sees all of them or none; so does whoever opens it after a kill.
TEST(Journal, WhatIsGatheredBecomesTrueInOnePiece) {
  const TempDir directory = scratch();
  const FakeClock clock;
  {
    Journal journal = open_or_die(directory.path(), clock);
    write_sample_run(journal);
    const std::size_t before = read_events(directory.path())->size();
    journal.gather();
    ASSERT_TRUE(journal.decide({"one", "first", ""}));
    ASSERT_FALSE(journal.judge(sample_judged(1, Outcome::same), {})) << "it has a verdict";
    ASSERT_TRUE(journal.decide({"two", "second", ""}));
    EXPECT_EQ(read_events(directory.path())->size(), before);
    ASSERT_TRUE(journal.keep());
    EXPECT_EQ(read_events(directory.path())->size(), before + 2);
    ASSERT_TRUE(journal.decide({"three", "by itself", ""}));
    EXPECT_EQ(read_events(directory.path())->size(), before + 3);
    journal.gather();
    ASSERT_TRUE(journal.decide({"four", "never kept", ""}));
  }
  const Journal later = open_or_die(directory.path(), clock);
  EXPECT_EQ(later.state().decisions.back().what, "three");
}

TEST(Journal, AProposalHasOneVerdict) {
  const TempDir directory = scratch();
  const FakeClock clock;
  Journal journal = open_or_die(directory.path(), clock);
  write_sample_run(journal);
  EXPECT_FALSE(journal.judge(sample_judged(1, Outcome::same), {}));
  SQLite::Database sqlite(journal_file(directory.path()).string(), SQLite::OPEN_READWRITE);
  EXPECT_THROW(sqlite.exec("INSERT INTO events(wall_ns, kind, subject, body) "
                           "SELECT wall_ns, kind, subject, body FROM events WHERE kind='judged'"),
               SQLite::Exception);
}

TEST(Journal, IsAppendOnly) {
  const TempDir directory = scratch();
  const FakeClock clock;
  Journal journal = open_or_die(directory.path(), clock);
  write_sample_run(journal);
  SQLite::Database sqlite(journal_file(directory.path()).string(), SQLite::OPEN_READWRITE);
  const auto message = [&](const char* sql) -> std::string {
    try {
      sqlite.exec(sql);
    } catch (const SQLite::Exception& refusal) {
      return refusal.what();
    }
    return "it went through";
  };
  EXPECT_EQ(message("DELETE FROM events"), "the journal is append-only");
  EXPECT_EQ(message("UPDATE events SET body = '{}' WHERE seq = 3"), "the journal is append-only");
  EXPECT_EQ(message("REPLACE INTO events(seq, wall_ns, kind, subject, body) "
                    "VALUES(3, 0, 'decision', '', '{}')"),
            "the journal is append-only");
}

}  // namespace
}  // namespace cupel::journal
