#include "engine/engine.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "engine/finish/winner_file.h"
#include "engine/scripted_run.h"
#include "journal/reader.h"
#include "search/winning/choice.h"

namespace cupel::engine {
namespace {

class NotingSink final : public ProgressSink {
 public:
  void on_progress(const Progress& progress) override { updates.push_back(progress); }
  void on_judged(const Judged& judged) override { verdicts.push_back(judged.verdict.headline()); }
  void on_note(const std::string& note) override { notes.push_back(note); }
  std::vector<Progress> updates;
  std::vector<std::string> verdicts;
  std::vector<std::string> notes;
};

// A user's file "mine", the compile seed and a better seed; each test sets how they come out.
class Engine : public testing::Test {
 protected:
  Engine() : directory_(scratch()), journal_(open_or_die(directory_.path(), clock_)) {
    request_.run_id = "run";
    request_.task.name = "task";
    request_.files = {mine_};
    request_.seed_source = [](const TaskFacts&) {
      return std::vector<Seed>{{"compile", "torch.compile", "compile source", 0},
                               {"free", "best of the free", "free source", 0}};
    };
    script_.programs[mine_.id] = {Outcome::faster, 2.0};
    script_.programs[compile_.id] = {Outcome::faster, 1.2};
    script_.programs[free_.id] = {Outcome::faster, 1.5};
  }

  RunRecord run_it() {
    if (!evaluator_) evaluator_.emplace(script_);
    evaluator_->on_judge = [this](const std::vector<Candidate>& round) {
      calls_.push_back(round.size());
      if (on_judge_) on_judge_();
    };
    auto record = run(request_, *evaluator_, journal_, sink_, stop_);
    EXPECT_TRUE(record) << record.error().describe();
    return record ? *record : RunRecord{};
  }

  static std::string roles_of(const FinalTable& table) {
    std::string text;
    for (const FinalTable::Row& row : table.rows) text += row.role + "=" + row.label + ";";
    return text;
  }

  Candidate mine_ = make_candidate("mine source\n", "mine.py");
  Candidate compile_ = make_candidate("compile source", "torch.compile");
  Candidate free_ = make_candidate("free source", "best of the free");
  RunRequest request_;
  Script script_;
  FakeClock clock_;
  TempDir directory_;
  journal::Journal journal_;
  NotingSink sink_;
  StopFlag stop_;
  std::optional<ScriptedEvaluator> evaluator_;
  std::vector<std::size_t> calls_;  // programs of each round
  std::function<void()> on_judge_;
};

TEST_F(Engine, RunsFromTheTaskToTheFile) {
  const RunRecord record = run_it();
  EXPECT_TRUE(record.finished);
  EXPECT_EQ(record.facts.parameter_count, 42);
  EXPECT_EQ(record.winner_id, mine_.id);
  EXPECT_EQ(roles_of(record.table),
            "eager=eager;torch.compile=torch.compile;best free variant=best of the free;"
            "winner=mine.py;");
  EXPECT_EQ(calls_, (std::vector<std::size_t>{1, 1, 1, 3}));
  const auto text = read_file(record.winner_path, 1 << 20);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("\n# mine.py: a faster program for the task task"), std::string::npos);
  EXPECT_TRUE(text->ends_with("\nmine source\n"));
  EXPECT_NE(text->find("# In the final round 2.000x over eager (95 % interval 1.980 to 2.020"),
            std::string::npos);
  EXPECT_NE(text->find("1.333x over the best free variant"), std::string::npos);
}

TEST_F(Engine, WhatIsAuditedIsTheFileThatIsShipped) {
  evaluator_.emplace(script_);
  Candidate audited;
  evaluator_->on_audit = [&audited](const Candidate& program) { audited = program; };
  script_.programs[mine_.id].audited_share = 0.9;
  const RunRecord record = run_it();
  EXPECT_EQ(audited.id, mine_.id);
  EXPECT_EQ(audited.source, read_file(record.winner_path, 1 << 20).value());
}

TEST_F(Engine, AFreeVariantThatDoesAsWellWins) {
  script_.programs[mine_.id].ratio = 1.505;
  const RunRecord record = run_it();
  EXPECT_EQ(record.winner_id, free_.id);
  EXPECT_EQ(roles_of(record.table),
            "eager=eager;torch.compile=torch.compile;best free variant=best of the free;"
            "winner=best of the free;runner-up=mine.py;");
}

TEST_F(Engine, NobodyFasterShipsNothing) {
  script_.programs[mine_.id] = {Outcome::wrong, 9};
  script_.programs[compile_.id] = {Outcome::slower, 0.8};
  script_.programs[free_.id] = {Outcome::same, 1};
  const RunRecord record = run_it();
  EXPECT_TRUE(record.finished);
  EXPECT_EQ(record.winner_id, "");
  EXPECT_EQ(record.winner_path, "");
  EXPECT_EQ(roles_of(record.table), "eager=eager;torch.compile=torch.compile;");
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / k_winner_file));
}

TEST_F(Engine, AFailedCompileKeepsItsVerdictInTheTable) {
  script_.programs[compile_.id] = {Outcome::build_error};
  const RunRecord record = run_it();
  EXPECT_EQ(calls_.back(), 2u);
  EXPECT_EQ(record.table.rows[1].verdict.outcome, Outcome::build_error);
}

TEST_F(Engine, AnInfraFaultIsRetriedOnce) {
  script_.programs[mine_.id].infra_faults = 1;
  script_.programs[free_.id].infra_faults = 2;
  const RunRecord record = run_it();
  EXPECT_EQ(record.judged[0].verdict.outcome, Outcome::faster);
  EXPECT_EQ(record.judged[2].verdict.outcome, Outcome::infra_fault);
  EXPECT_EQ(calls_.size(), 6u);
  EXPECT_EQ(sink_.notes.size(), 2u);
}

TEST_F(Engine, ATableWithAnInfraFaultIsMeasuredAgain) {
  script_.table_infra_faults = 1;
  EXPECT_EQ(run_it().winner_id, mine_.id);
  EXPECT_EQ(calls_, (std::vector<std::size_t>{1, 1, 1, 3, 3}));
}

TEST_F(Engine, AProgramThatFailsInTheTableIsReplaced) {
  script_.programs[mine_.id].fails_in_table = true;
  const RunRecord record = run_it();
  EXPECT_EQ(record.winner_id, free_.id);
  EXPECT_EQ(calls_, (std::vector<std::size_t>{1, 1, 1, 3, 2}));
  EXPECT_EQ(journal_.state().tables.size(), 2u);
}

TEST_F(Engine, TheWinnersRatioIsThatOfItsAudit) {
  script_.programs[mine_.id].audited_share = 0.9;
  const RunRecord record = run_it();
  EXPECT_EQ(record.winner_id, mine_.id);
  ASSERT_EQ(record.audits.size(), 1u);
  const FinalTable::Row& winner = record.table.rows.back();
  EXPECT_EQ(winner.role, "winner");
  EXPECT_DOUBLE_EQ(winner.verdict.ratios[0].ratio, 1.8);
  EXPECT_TRUE(search::ratio_over(winner.verdict, free_.id));
  EXPECT_EQ(winner.verdict.reasons.back().code, "audited");
  const auto text = read_file(record.winner_path, 1 << 20);
  EXPECT_NE(text->find("# In the final round 2.000x over eager"), std::string::npos);
}

TEST_F(Engine, AWinnerThatFailsItsAuditIsReplaced) {
  script_.programs[mine_.id].fails_in_audit = true;
  const RunRecord record = run_it();
  EXPECT_EQ(record.winner_id, free_.id);
  EXPECT_EQ(roles_of(record.table),
            "eager=eager;torch.compile=torch.compile;best free variant=best of the free;"
            "winner=best of the free;failed audit=mine.py;");
  EXPECT_EQ(record.table.rows.back().verdict.headline(), "suspect(memory_growth)");
  EXPECT_EQ(calls_, (std::vector<std::size_t>{1, 1, 1, 3, 2}));
  ASSERT_EQ(record.audits.size(), 2u);
  EXPECT_EQ(sink_.notes.size(), 1u);
}

TEST_F(Engine, AGainThatDoesNotLastIsNone) {
  script_.programs[mine_.id].audited_share = 0.5;
  const RunRecord record = run_it();
  EXPECT_EQ(record.winner_id, free_.id);
  EXPECT_EQ(record.table.rows.back().verdict.outcome, Outcome::same);
}

TEST_F(Engine, ACompileSeedThatFailsItsAuditKeepsItsRow) {
  script_.programs[compile_.id] = {Outcome::faster, 3};
  script_.programs[compile_.id].fails_in_audit = true;
  const RunRecord record = run_it();
  EXPECT_EQ(record.winner_id, mine_.id);
  EXPECT_EQ(record.table.rows[1].role, "torch.compile");
  EXPECT_EQ(record.table.rows[1].verdict.outcome, Outcome::suspect);
  EXPECT_EQ(roles_of(record.table),
            "eager=eager;torch.compile=torch.compile;best free variant=best of the free;"
            "winner=mine.py;");
}

TEST_F(Engine, WhereNobodyPassesNothingIsShipped) {
  for (const Candidate& candidate : {mine_, compile_, free_}) {
    script_.programs[candidate.id].fails_in_audit = true;
  }
  const RunRecord record = run_it();
  EXPECT_TRUE(record.finished);
  EXPECT_EQ(record.winner_id, "");
  EXPECT_EQ(record.audits.size(), 3u);
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / k_winner_file));
}

TEST_F(Engine, AnAuditWithAnInfraFaultIsMadeAgain) {
  script_.audit_infra_faults = 1;
  const RunRecord record = run_it();
  EXPECT_EQ(record.winner_id, mine_.id);
  EXPECT_EQ(record.audits.size(), 1u);
  EXPECT_EQ(sink_.notes.size(), 1u);
}

TEST_F(Engine, AStopInTheAuditAuditsAgainLater) {
  evaluator_.emplace(script_);
  evaluator_->on_audit = [this](const Candidate&) { stop_.raise(); };
  EXPECT_FALSE(run_it().finished);
  EXPECT_EQ(journal_.state().tables.size(), 1u);
  EXPECT_TRUE(journal_.state().record.audits.empty());
  ScriptedEvaluator evaluator = evaluator_at(journal_, script_);
  const auto record = resume(evaluator, journal_, sink_);
  ASSERT_TRUE(record) << record.error().describe();
  EXPECT_EQ(essence(*record), essence(undisturbed(request_, script_)));
}

TEST_F(Engine, AProgramProposedTwiceIsJudgedOnce) {
  request_.files.push_back(make_candidate(mine_.source, "copy of mine.py"));
  const RunRecord record = run_it();
  EXPECT_EQ(record.judged.size(), 3u);
  ASSERT_EQ(journal_.state().rejected.size(), 1u);
  EXPECT_EQ(journal_.state().rejected[0].proposal.label, "copy of mine.py");
}

// After two programs three and a half minutes are left; a final round of both takes two, and the
// audit of the faster one as many.
TEST_F(Engine, TheBudgetEndsTheSearchInTimeForTheTable) {
  request_.options.minutes_max = 5.5;
  on_judge_ = [this] { clock_.advance_ns(60'000'000'000); };
  const RunRecord record = run_it();
  EXPECT_TRUE(record.finished);
  EXPECT_EQ(record.judged.size(), 2u);
  ASSERT_EQ(journal_.state().rejected.size(), 1u);
  EXPECT_EQ(journal_.state().rejected[0].why,
            "the budget of 5 min 30 s is spent, the final round counted");
  EXPECT_EQ(record.winner_id, mine_.id);
  EXPECT_DOUBLE_EQ(record.wall_s, 180);
}

TEST_F(Engine, TheEtaKnowsOfCompilationsToCome) {
  request_.seed_source = [](const TaskFacts&) {
    return std::vector<Seed>{{"compile", "torch.compile", "compile source", 20},
                             {"free", "best of the free", "free source", 50}};
  };
  on_judge_ = [this] { clock_.advance_ns(1'000'000'000); };
  run_it();
  std::vector<double> etas;
  for (const Progress& update : sink_.updates) {
    if (update.stage == Stage::judge) etas.push_back(update.eta_s);
  }
  ASSERT_EQ(etas.size(), 3u);
  EXPECT_EQ(etas[0], -1);
  EXPECT_EQ(etas[1], (1 + 20) + (1 + 50) + (1 + 2));
}

TEST_F(Engine, TheEtaInTheFinalRoundIsThatOfItsProgramsAndTheAudit) {
  on_judge_ = [this] {
    clock_.advance_ns(1'000'000'000 * static_cast<std::int64_t>(calls_.size()));
  };
  run_it();
  std::vector<double> etas;
  for (const Progress& update : sink_.updates) {
    if (update.stage == Stage::final_table) etas.push_back(update.eta_s);
  }
  // As long as each took before, and twice the winner's.
  EXPECT_EQ(etas, std::vector<double>{1 + 2 + 3 + 2 * 1});
  EXPECT_EQ(sink_.updates.back().eta_s, 0);
}

TEST_F(Engine, AStopDropsWhatIsInFlightAndTheRunGoesOnLater) {
  on_judge_ = [this] {
    if (calls_.size() == 2) stop_.raise();
  };
  EXPECT_FALSE(run_it().finished);
  EXPECT_EQ(journal_.state().record.judged.size(), 1u);
  ScriptedEvaluator evaluator = evaluator_at(journal_, script_);
  const auto record = resume(evaluator, journal_, sink_);
  ASSERT_TRUE(record) << record.error().describe();
  EXPECT_EQ(essence(*record), essence(undisturbed(request_, script_)));
  EXPECT_EQ(evaluator.admissions(), 0);
  EXPECT_EQ(evaluator.readmissions(), 1);
  EXPECT_EQ(journal_.state().sittings, 2);
}

TEST_F(Engine, AFinishedRunIsReturnedAsItIs) {
  const RunRecord first = run_it();
  const std::size_t events = journal::read_events(directory_.path())->size();
  calls_.clear();
  EXPECT_EQ(essence(run_it()), essence(first));
  EXPECT_TRUE(calls_.empty());
  EXPECT_EQ(journal::read_events(directory_.path())->size(), events);
}

TEST_F(Engine, AnotherTaskIsRefused) {
  run_it();
  const TempDir fresh = scratch();
  journal::Journal journal = open_or_die(fresh.path(), clock_);
  ASSERT_TRUE(journal.start(request_));
  request_.task.id = "another";
  const auto record = run(request_, *evaluator_, journal, sink_, stop_);
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().tag, ErrorTag::input);
}

TEST_F(Engine, AnotherTaskIsRefusedByAFinishedRunToo) {
  run_it();
  request_.task.id = "another";
  const auto record = run(request_, *evaluator_, journal_, sink_, stop_);
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().tag, ErrorTag::input);
}

TEST_F(Engine, ARunWhoseWinnerCannotBeArchivedFinishes) {
  Agents agents;
  agents.learn = [](const RunRecord&) -> Status { return environment_error("the disk is full"); };
  evaluator_.emplace(script_);
  const auto record = run(request_, Means(*evaluator_, agents), journal_, sink_, stop_);
  ASSERT_TRUE(record) << record.error().describe();
  EXPECT_TRUE(record->finished);
  ASSERT_FALSE(sink_.notes.empty());
  EXPECT_NE(sink_.notes.back().find("the disk is full"), std::string::npos);
}

TEST_F(Engine, ResumeNeedsARunThatBegan) {
  ScriptedEvaluator evaluator(script_);
  EXPECT_FALSE(resume(evaluator, journal_, sink_));
}

TEST_F(Engine, TellsHowFarItIs) {
  run_it();
  EXPECT_EQ(sink_.verdicts.size(), 3u);
  EXPECT_EQ(sink_.updates.front().stage, Stage::admit);
  EXPECT_EQ(sink_.updates.back().stage, Stage::done);
  EXPECT_EQ(sink_.updates.back().judged, 3);
  EXPECT_EQ(sink_.updates.back().best_label, "mine.py");
  EXPECT_DOUBLE_EQ(sink_.updates.back().best.ratio, 2.0);
  for (const Progress& update : sink_.updates) EXPECT_LE(update.judged, update.planned);
}

// Errors of every tag, from one round on.
class FailingEvaluator final : public Evaluator {
 public:
  explicit FailingEvaluator(ErrorTag tag) : tag_(tag) {}
  Result<Admitted> admit() override { return Admitted{}; }
  Status readmit(const Admitted&) override { return {}; }
  Result<Judgement> judge(const std::vector<Candidate>&) override {
    ++rounds;
    return fail({tag_, "it broke", "", ""});
  }
  int rounds = 0;

 private:
  ErrorTag tag_;
};

TEST_F(Engine, AnErrorOfTheEnvironmentEndsTheSittingNotTheRun) {
  FailingEvaluator evaluator(ErrorTag::environment);
  const auto record = run(request_, evaluator, journal_, sink_, stop_);
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().what, "it broke");
  EXPECT_EQ(journal_.state().open.size(), 3u);
  EXPECT_EQ(essence(run_it()), essence(undisturbed(request_, script_)));
}

TEST_F(Engine, ARoundThatCouldNotBeRunIsAnInfraFault) {
  FailingEvaluator evaluator(ErrorTag::infra);
  const auto record = run(request_, evaluator, journal_, sink_, stop_);
  ASSERT_TRUE(record) << record.error().describe();
  EXPECT_EQ(evaluator.rounds, 6);  // nobody is left for a table or an audit
  EXPECT_EQ(record->judged[0].verdict.outcome, Outcome::infra_fault);
  EXPECT_EQ(record->judged[0].verdict.fault, Fault::us);
  EXPECT_EQ(record->winner_id, "");
}

}  // namespace
}  // namespace cupel::engine
