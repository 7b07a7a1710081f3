#include "report/answers/lint_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cupel::report {
namespace {

OutputError error_of(double rms) {
  OutputError error;
  error.rms = rms;
  error.max = 3 * rms;
  return error;
}

class LintReport : public testing::Test {
 protected:
  LintReport() {
    task_.name = "softmax";
    facts_.inputs = {{"float32", {2, 3}, {3, 1}, 24}};
    facts_.outputs = facts_.inputs;
    admission_.k = 32;
    admission_.evidence.classes = {{"nominal", true, "", {error_of(1e-7)}},
                                   {"large", false, "the reference overflows", {}}};
    admission_.tolerances = {{"nominal", {1e-5}, {1e-4}, {0}}};
    admission_.evidence.mutants = {{"zeros", "nominal", {error_of(1)}},
                                   {"rescale_1.01", "nominal", {error_of(1e-6)}}};
  }
  std::string text() const { return lint_text({task_, facts_, admission_, Policy::eager}, {}); }

  Task task_;
  TaskFacts facts_;
  Admission admission_;
};

TEST_F(LintReport, TellsRejectedMutantsFromAcceptedOnes) {
  EXPECT_TRUE(is_rejected(admission_.evidence.mutants[0], admission_));
  EXPECT_FALSE(is_rejected(admission_.evidence.mutants[1], admission_));
  EXPECT_NE(text().find("zeros          1 of 1"), std::string::npos) << text();
  EXPECT_NE(text().find("rescale_1.01   0 of 1"), std::string::npos) << text();
}

TEST_F(LintReport, AMutantThatIsNotFiniteIsRejected) {
  MutantReport mutant{"nan", "nominal", {error_of(0)}};
  mutant.outputs[0].nonfinite = 1;
  EXPECT_TRUE(is_rejected(mutant, admission_));
}

TEST_F(LintReport, SaysWhyAClassWasDropped) {
  EXPECT_NE(text().find("the reference overflows"), std::string::npos);
}

TEST_F(LintReport, SaysWhyATaskIsDegenerate) {
  EXPECT_NE(text().find("sound:"), std::string::npos);
  admission_.degenerate = {"zeros pass"};
  EXPECT_EQ(text().find("sound:"), std::string::npos);
  EXPECT_NE(text().find("degenerate:\n  zeros pass"), std::string::npos) << text();
}

TEST_F(LintReport, JsonCarriesEveryMutant) {
  const auto json = nlohmann::json::parse(lint_json({task_, facts_, admission_, Policy::eager}));
  EXPECT_EQ(json["kind"], "lint");
  EXPECT_EQ(json["degenerate"], false);
  ASSERT_EQ(json["mutants"].size(), 2u);
  EXPECT_EQ(json["mutants"][0]["rejected"], true);
}

}  // namespace
}  // namespace cupel::report
