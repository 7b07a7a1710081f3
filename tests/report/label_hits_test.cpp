#include "report/run/label_hits.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/run/run_report.h"
#include "report/sample_run.h"

namespace cupel::report {
namespace {

// "p1", "p2", ...: each judged so, and read before.
RunRecord read_run(const std::vector<std::pair<Outcome, std::vector<Label>>>& programs) {
  RunRecord run = sample_run();
  run.judged.clear();
  for (const auto& [outcome, labels] : programs) {
    const std::string id = "p" + std::to_string(run.judged.size() + 1);
    Verdict verdict = sample_verdict(id, 1.5);
    verdict.outcome = outcome;
    run.judged.push_back(sample_judged(id, id, verdict));
    run.labels[id] = labels;
  }
  return run;
}

const Label k_calls{"calls the reference", 3};
const Label k_triton{"triton", 1};

TEST(LabelHits, CountsWhatTheJudgeFoundOfEachLabelAndOfNone) {
  RunRecord run = read_run({{Outcome::wrong, {k_calls}},
                            {Outcome::suspect, {k_calls, k_triton}},
                            {Outcome::same, {k_calls}},
                            {Outcome::build_error, {k_triton}},
                            {Outcome::faster, {}},
                            {Outcome::impossible, {}}});
  run.judged.push_back(sample_judged("seed", "seed", sample_verdict("seed", 2)));  // nobody read it
  const auto rows = label_hits(run);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].label, "calls the reference");
  EXPECT_EQ(rows[0].programs, 3);
  EXPECT_EQ(rows[0].right, 1);
  EXPECT_EQ(rows[0].faster, 0);
  EXPECT_EQ(rows[0].wrong, 1);
  EXPECT_EQ(rows[0].suspect, 1);
  EXPECT_EQ(rows[1].label, "triton");
  EXPECT_EQ(rows[1].refused, 1);
  EXPECT_EQ(rows[2].label, "");
  EXPECT_EQ(rows[2].programs, 2);
  EXPECT_EQ(rows[2].faster, 1);
  EXPECT_EQ(rows[2].suspect, 1);
}

TEST(LabelHits, AnAuditOutweighsTheVerdictBeforeIt) {
  RunRecord run = read_run({{Outcome::faster, {k_triton}}});
  WinnerAudit audit;
  audit.candidate_id = "p1";
  audit.verdict.outcome = Outcome::suspect;
  run.audits = {audit};
  const auto rows = label_hits(run);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].suspect, 1);
  EXPECT_EQ(rows[0].right, 0);
}

TEST(ReaderHits, CountsRemarksAndAnswersOfNoUseApart) {
  RunRecord run = read_run({{Outcome::wrong, {}}, {Outcome::faster, {}}, {Outcome::same, {}}});
  run.options.reader = "openai:small";
  run.readings["p1"] = {{{"computes something else", "adds 1"}}, "", 2'000'000};
  run.readings["p2"] = {{}, "", 1'000'000};
  run.readings["p3"] = {{}, "no line 'keeps'", 1'000'000};
  const auto rows = reader_hits(run);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].label, "computes something else");
  EXPECT_EQ(rows[0].wrong, 1);
  EXPECT_EQ(rows[1].label, "");
  EXPECT_EQ(rows[1].programs, 1);
  EXPECT_EQ(rows[1].faster, 1);
  const std::string text = label_hits_text(run, {});
  EXPECT_NE(text.find("openai:small asked about 3 programs for $0.0040, 1 answer of no use"),
            std::string::npos)
      << text;
  const auto json = nlohmann::json::parse(run_json(run))["reader"];
  EXPECT_EQ(json["programs"], 3);
  EXPECT_EQ(json["useless"], 1);
  EXPECT_EQ(json["nano_usd"], 4'000'000);
  EXPECT_EQ(json["remarks"][0]["label"], "computes something else");
}

TEST(LabelHits, OurFaultsAndRunsWithoutLabelsTellNothing) {
  EXPECT_TRUE(label_hits(read_run({{Outcome::infra_fault, {k_calls}}})).empty());
  EXPECT_TRUE(label_hits(sample_run()).empty());
  EXPECT_EQ(label_hits_text(sample_run(), {}), "");
  EXPECT_EQ(label_hits_text(read_run({{Outcome::faster, {}}}), {}), "");  // none bears one
}

TEST(LabelHits, AreInEveryFormOfTheReport) {
  const RunRecord run = read_run({{Outcome::wrong, {k_calls}}, {Outcome::faster, {}}});
  const std::string text = run_text(run, {});
  EXPECT_NE(text.find("Labels, and what the judge found"), std::string::npos);
  EXPECT_NE(text.find("0 (0 %)"), std::string::npos) << text;
  EXPECT_NE(text.find("1 (100 %)"), std::string::npos) << text;
  EXPECT_NE(run_markdown(run).find("| no label | 1 | 1 (100 %) | 1 | 0 | 0 | 0 |"),
            std::string::npos);
  const auto json = nlohmann::json::parse(run_json(run));
  ASSERT_EQ(json["labels"].size(), 2U);
  EXPECT_EQ(json["labels"][0]["wrong"], 1);
  EXPECT_EQ(json["labels"][1]["label"], "");
  for (const auto& candidate : json["candidates"]) {
    if (candidate["proposal_id"] != "p1") continue;
    EXPECT_EQ(candidate["labels"][0]["label"], "calls the reference");
    EXPECT_EQ(candidate["labels"][0]["line"], 3);
  }
}

}  // namespace
}  // namespace cupel::report
