#include "engine/turn/profiling.h"

#include <gtest/gtest.h>

#include <map>

#include "engine/rehearse/replay.h"
#include "engine/scripted_search.h"
#include "journal/reader.h"

namespace cupel::engine {
namespace {

constexpr std::uint64_t k_seed = 7;

// A search whose programs can be profiled; the prompts' contexts are kept.
class ProfiledSearch : public testing::Test {
 protected:
  void search(RunRequest request) {
    journal::Journal journal = open_or_die(directory_.path(), clock_);
    ScriptedProvider provider({});
    Agents agents = scripted_agents(provider);
    const auto make = agents.make_prompt;
    agents.make_prompt = [this, make](const Proposal& proposal, const propose::Context& context) {
      tables_.push_back(context.where_time_goes.size());
      return make(proposal, context);
    };
    Script script;
    script.others_seed = k_seed;
    script.profiles = true;
    ScriptedEvaluator evaluator(script);
    SimulatedLanes lanes({}, evaluator, agents, clock_);
    SilentSink sink;
    const auto record = run(request, Means(evaluator, agents, &lanes), journal, sink);
    ASSERT_TRUE(record.has_value()) << record.error().describe();
    profiles_ = journal.state().profiles;
  }

  // How often each program was profiled.
  std::map<std::string, int> profiled() const {
    std::map<std::string, int> counts;
    const auto counted = journal::for_each_event(directory_.path(), [&](const journal::Event& one) {
      counts[one.subject] += one.kind == journal::kind::k_profiled;
      return Status();
    });
    CUPEL_CHECK(counted.has_value());
    std::erase_if(counts, [](const auto& entry) { return entry.second == 0; });
    return counts;
  }

  FakeClock clock_;
  TempDir directory_ = scratch();
  std::vector<std::size_t> tables_;
  std::map<std::string, Profile> profiles_;
};

TEST_F(ProfiledSearch, EveryPromptIsToldOfEagerAndNothingIsProfiledTwice) {
  search(search_request(12));
  ASSERT_FALSE(tables_.empty());
  for (const std::size_t tables : tables_) EXPECT_GE(tables, 1U);
  const auto counts = profiled();
  EXPECT_TRUE(counts.contains(""));
  EXPECT_LE(counts.size(), k_profiles_max);
  for (const auto& [id, count] : counts) EXPECT_EQ(count, 1) << id;
  EXPECT_EQ(profiles_.size(), counts.size());
}

TEST_F(ProfiledSearch, ReplaysWithoutMeasuring) {
  RunRequest request = search_request(12);
  const StrategySource source = request.strategy_source;
  search(std::move(request));
  const auto replayed = replay(directory_.path(), source);
  ASSERT_TRUE(replayed.has_value()) << replayed.error().describe();
  EXPECT_EQ(replayed->difference, "");
}

TEST_F(ProfiledSearch, WhatIsNotToBeToldIsProfiledForTheReportAlone) {
  RunRequest request = search_request(6);
  request.options.withheld = {"profile"};
  search(std::move(request));
  EXPECT_EQ(profiled(), (std::map<std::string, int>{{"", 1}}));
  for (const std::size_t tables : tables_) EXPECT_EQ(tables, 0U);
}

// A proposal to analyse a judged program.
class Analysis : public ProfiledSearch {
 protected:
  Analysis() : journal_(begun(directory_.path(), clock_)) {
    script_.profiles = true;
    Proposed written;
    written.proposal.id = "p0001";
    written.candidate = make_candidate("class ModelNew: pass", "one");
    CUPEL_CHECK(journal_.propose(written).has_value());
    CUPEL_CHECK(journal_.judge({"p0001", written.candidate.id, {}, 1}, Evidence()).has_value());
    Proposed analysis;
    analysis.proposal.id = "p0002";
    analysis.proposal.kind = Proposal::Kind::analyse;
    analysis.proposal.parents = {written.candidate.id};
    CUPEL_CHECK(journal_.propose(analysis).has_value());
    parent_ = written.candidate.id;
  }

  journal::Journal journal_;
  Script script_;
  std::string parent_;
};

TEST_F(Analysis, WaitsForEagersProfileAndForItsParents) {
  ScriptedSitting made(journal_, clock_, script_);
  Sitting& sitting = made.sitting;
  const Proposal analysis = journal_.state().open.front().proposal;
  for (const std::string& whose : {std::string(), parent_}) {
    EXPECT_TRUE(awaits_profile(sitting, analysis));
    ASSERT_TRUE(start_wanted_profile(sitting).has_value());
    auto done = made.lanes.next(1);
    ASSERT_TRUE(done.has_value());
    auto profiled = std::get<Profiled>(std::move(done->outcome));
    EXPECT_EQ(profiled.candidate_id, whose);
    ASSERT_TRUE(take_profile(sitting, std::move(profiled)));
  }
  EXPECT_FALSE(awaits_profile(sitting, analysis));
  EXPECT_FALSE(start_wanted_profile(sitting).has_value());
  propose::Context context;
  context.parents = {&journal_.state().record.judged.front()};
  add_profiles(journal_.state(), context);
  EXPECT_TRUE(context.profile_is_claim);
  EXPECT_FALSE(context.profile.empty());
  EXPECT_EQ(context.where_time_goes.size(), 1U);
}

TEST_F(Analysis, AProfileThatFailsIsKeptAndNotTriedAgain) {
  ScriptedSitting made(journal_, clock_, script_);
  Sitting& sitting = made.sitting;
  ASSERT_TRUE(take_profile(sitting, {"", infra_error("no host")}));
  ASSERT_TRUE(take_profile(sitting, {parent_, infra_error("no host")}));
  EXPECT_FALSE(awaits_profile(sitting, journal_.state().open.front().proposal));
  EXPECT_FALSE(start_wanted_profile(sitting).has_value());
  EXPECT_NE(journal_.state().profiles.at(parent_).problem.find("no host"), std::string::npos);
}

}  // namespace
}  // namespace cupel::engine
