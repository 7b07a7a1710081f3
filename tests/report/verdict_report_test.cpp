#include "report/answers/verdict_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/sample_run.h"

namespace cupel::report {
namespace {

Evidence sample_evidence() {
  Evidence evidence;
  evidence.stop_reason = "settled";
  evidence.sandbox_grade = "full";
  evidence.threads = 2;
  evidence.cost.wall_ms = 900;
  evidence.cost.calls_ms = 500;
  evidence.programs.resize(2);
  evidence.programs[1].candidate_id = "a";
  evidence.programs[1].first_call_ms = 12;
  return evidence;
}

TEST(VerdictText, HeadlineNumbersAndCost) {
  const std::string text = verdict_text(sample_verdict("a", 1.2), sample_evidence(), {});
  EXPECT_EQ(text.substr(0, text.find('\n')), "faster 1.200x [1.180, 1.220]  program a");
  for (const char* part : {"1.20x 1.18-1.22", "80 calls checked", "plain allclose: 1e-4",
                           "timed calls 500 ms", "first call 12.0 ms", "sandbox full"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(VerdictText, AGainThatNobodyAuditedSaysSo) {
  const std::string hint = "not audited: --audit";
  Verdict verdict = sample_verdict("a", 1.2);
  EXPECT_NE(verdict_text(verdict, sample_evidence(), {}).find(hint), std::string::npos);
  verdict.reasons.push_back({"audited", "measured once more", 0, 0});
  EXPECT_EQ(verdict_text(verdict, sample_evidence(), {}).find(hint), std::string::npos);
  verdict.reasons.clear();
  verdict.outcome = Outcome::slower;
  EXPECT_EQ(verdict_text(verdict, sample_evidence(), {}).find(hint), std::string::npos);
}

TEST(VerdictText, AFailureShowsItsEvidence) {
  Verdict verdict = sample_verdict("a", 1.2);
  verdict.outcome = Outcome::runtime_error;
  verdict.fault = Fault::candidate;
  verdict.reasons = {{"runtime_error", "division by zero", 0, 0}};
  verdict.feedback = "Traceback:\n  line 3";
  const std::string text = verdict_text(verdict, sample_evidence(), {});
  for (const char* part :
       {"runtime_error: division by zero", "at fault: candidate", "  Traceback:\n    line 3"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(VerdictJson, HasTheDocumentedKeys) {
  const auto json =
      nlohmann::json::parse(verdict_json(sample_verdict("a", 1.2), sample_evidence()));
  EXPECT_EQ(json["kind"], "verdict");
  EXPECT_EQ(json["verdict"]["outcome"], "faster");
  EXPECT_EQ(json["cost"]["wall_ms"], 900);
  EXPECT_EQ(json["program"]["first_call_ms"], 12);
  EXPECT_EQ(json["degenerate"], false);
}

TEST(VerdictJson, SaysThatNothingIsASuccessOnADegenerateTask) {
  Verdict verdict = sample_verdict("a", 1.2);
  verdict.reasons.push_back({"degenerate_task", "zeros pass", 1, 0});
  const auto json = nlohmann::json::parse(verdict_json(verdict, sample_evidence()));
  EXPECT_EQ(json["verdict"]["outcome"], "faster");
  EXPECT_EQ(json["degenerate"], true);
}

}  // namespace
}  // namespace cupel::report
