#include "report/page/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/sample_run.h"

namespace cupel::report {
namespace {

using nlohmann::json;

constexpr PageParts parts() {
  return {"<title>{{title}}</title><style>{{style}}</style><script>{{data}}</script>{{script}}",
          "b {}", "run();"};
}

journal::RunState sample_state() {
  journal::RunState state;
  state.record = sample_run();
  state.record.judged[1].proposal.parents = {"a"};
  state.record.judged[1].proposal.charged = true;
  state.record.judged[1].nano_usd = 250'000'000;
  state.start.machine["cpu"] = "one core";
  journal::ClosedProposal closed;
  closed.proposal.id = "p0009";
  closed.why = "a duplicate of p0001";
  state.rejected.push_back(closed);
  return state;
}

TEST(PageHtml, NothingInTheDocumentEndsItsElement) {
  const std::string hostile = "</script><script>alert(1)</script><!-- {{style}} & ";
  const std::string page = page_html(parts(), "<b>&", json{{"label", hostile}}.dump());
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(page.find("<!--"), std::string::npos);
  EXPECT_NE(page.find("<title>&lt;b>&amp;</title>"), std::string::npos);
  EXPECT_NE(page.find("{{style}}"), std::string::npos) << "what is filled in is filled in once";
  const std::size_t begin = page.find("<script>") + 8;
  const json read = json::parse(page.substr(begin, page.find("</script>") - begin));
  EXPECT_EQ(read["label"], hostile);
}

TEST(CallTimes, AreQuantilesOfTheBrackets) {
  ProgramEvidence program;
  program.candidate_id = "a";
  for (int i = 100; i >= 0; --i) {
    CallSample call;
    call.bracket_ns = i * 1000;
    program.calls.push_back(call);
  }
  const CallTimes times = call_times(program);
  EXPECT_EQ(times.calls, 101);
  ASSERT_EQ(times.quantiles_us.size(), 21U);
  for (std::size_t i = 0; i <= 20; ++i) EXPECT_DOUBLE_EQ(times.quantiles_us[i], 5.0 * i);
  EXPECT_TRUE(call_times(ProgramEvidence()).quantiles_us.empty());
}

TEST(RunPage, HasWhatTheReportHasAndMore) {
  CallTimes times{"b", 3, {1, 2, 3}};
  const json page = json::parse(run_page_json(sample_state(), {&times, 1}));
  EXPECT_EQ(page["kind"], "run_page");
  EXPECT_EQ(page["run"]["kind"], "run");
  EXPECT_EQ(page["run"]["table"].size(), 3U);
  EXPECT_EQ(page["machine"]["cpu"], "one core");
  EXPECT_EQ(page["sources"]["b"], "class ModelNew: ...");
  EXPECT_EQ(page["lineage"][1]["parents"], json({"a"}));
  EXPECT_EQ(page["rejected"][0]["why"], "a duplicate of p0001");
  EXPECT_EQ(page["times"]["b"]["quantiles_us"], json({1.0, 2.0, 3.0}));
  EXPECT_DOUBLE_EQ(page["progress"][0]["usd"], 0);
  EXPECT_DOUBLE_EQ(page["progress"][2]["usd"], 0.25);
  EXPECT_EQ(page["progress"][2]["queries"], 1);
}

Profile sample_profile() {
  Profile eager;
  eager.device = "cpu";
  eager.operators = {{"aten::mm", 1, 1e6, 0, 2e6, 8e6}, {"outside of operators", 1, 5e5}};
  eager.call_ns = 1.5e6;
  eager.copied_bytes_per_s = 1e10;
  eager.float32_flops_per_s = 1e11;
  return eager;
}

TEST(RunPage, TellsHowNearTheRoofTheProgramsAre) {
  journal::RunState state = sample_state();
  state.record.facts.input_bytes = state.record.facts.output_bytes = 500'000;
  EXPECT_TRUE(json::parse(run_page_json(state, {}))["roofline"].is_null());
  state.profiles[""] = sample_profile();
  const json roof = json::parse(run_page_json(state, {}))["roofline"];
  EXPECT_DOUBLE_EQ(roof["bytes"], 1e6);
  EXPECT_DOUBLE_EQ(roof["flops"], 8e6);
  EXPECT_DOUBLE_EQ(roof["floor_ms"], 0.1);  // 1 MB at 10 GB/s; the product needs 0.08
  ASSERT_EQ(roof["programs"].size(), 3U);
  EXPECT_DOUBLE_EQ(roof["programs"][0]["ms"], 2);
  EXPECT_DOUBLE_EQ(roof["programs"][0]["of_roof"], 0.05);
  EXPECT_NEAR(roof["programs"][2]["of_roof"], 0.1 / (2 / 1.5), 1e-12);
  ASSERT_EQ(roof["operators"].size(), 1U) << "what has no bytes and no operations has no roof";
  EXPECT_DOUBLE_EQ(roof["operators"][0]["of_roof"], 0.2);
}

TEST(RunPage, TellsOfEagerAloneByItsProfile) {
  journal::RunState state = sample_state();
  state.record.table.rows.resize(1);
  state.profiles[""] = sample_profile();
  const json roof = json::parse(run_page_json(state, {}))["roofline"];
  ASSERT_EQ(roof["programs"].size(), 1U);
  EXPECT_DOUBLE_EQ(roof["programs"][0]["ms"], 1.5);
}

TEST(RunPage, AProfileThatFailedIsNoRoof) {
  journal::RunState state = sample_state();
  state.profiles[""] = sample_profile();
  state.profiles[""].problem = "it could not be profiled";
  EXPECT_TRUE(json::parse(run_page_json(state, {}))["roofline"].is_null());
}

TEST(RunPage, LeavesOutSourcesOfTheWorstWhereThereAreTooMany) {
  journal::RunState state = sample_state();
  for (int i = 0; i < 100; ++i) {
    const std::string id = "x" + std::to_string(i);
    state.record.judged.push_back(sample_judged("p" + id, id, sample_verdict(id, 0.5)));
    state.record.judged.back().candidate.source = std::string(60'000, 'x');
  }
  const std::string text = run_page_json(state, {});
  const json page = json::parse(text);
  EXPECT_LT(text.size(), 2'000'000U);
  EXPECT_TRUE(page["sources"].contains("b"));
  EXPECT_LT(page["sources"].size(), 40U);
}

TEST(SuitePage, StaysBelowThreeMegabytes) {
  std::vector<SuiteEntry> entries;
  for (int i = 0; i < 150; ++i) {
    RunRecord run = sample_run();
    for (int k = 0; k < 100; ++k) {
      const std::string id = "x" + std::to_string(k);
      run.judged.push_back(sample_judged("p" + id, id, sample_verdict(id, 0.9 + 0.01 * k)));
    }
    run.judged[2].candidate.source = std::string(12'000, 'x');
    entries.push_back(
        {"strategy" + std::to_string(i % 3), "task" + std::to_string(i / 3), {run}, ""});
  }
  const std::string text = suite_page_json(make_suite("suite", entries, false), entries);
  EXPECT_LT(text.size(), 2'900'000U);
  const json page = json::parse(text);
  EXPECT_EQ(page["suite"]["strategies"].size(), 3U);
  ASSERT_EQ(page["runs"].size(), 150U);
  EXPECT_EQ(page["runs"][0]["candidates"].size(), 103U);
  EXPECT_EQ(page["runs"][0]["candidates"][0], json({"seed", "faster", 1.2, 1.5e-7}));
  EXPECT_EQ(page["runs"][0]["winner_source"].get<std::string>().size(), 12'000U);
}

}  // namespace
}  // namespace cupel::report
