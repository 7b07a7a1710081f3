#include "report/answers/profile_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cupel::report {
namespace {

Profile eager() {
  Profile profile;
  profile.label = "eager";
  profile.device = "cpu";
  profile.call_ns = 2e6;
  profile.cores = 1.5;
  profile.threads = 2;
  profile.vector_bits = 512;
  profile.operators = {{"aten::addmm", 4, 1.5e6, 0, 3e6, 1.5e8}, {"aten::add", 2, 4e5, 0, 8e6, 0}};
  profile.copied_bytes_per_s = 4e10;
  profile.float32_flops_per_s = 1e11;
  return profile;
}

Profile on_gpu() {
  Profile profile = eager();
  profile.label = "mine.py";
  profile.device = "cuda";
  profile.claimed = true;
  profile.operators[0].device_ns = 9e5;
  profile.kernels = {{"gemm", 4, 9e5, 255, 49152, 16, 256, 132, 0.25}, {"copy", 1, 1e5}};
  return profile;
}

double number_of(const std::vector<NamedNumber>& numbers, const std::string& name) {
  for (const auto& [known, value] : numbers) {
    if (known == name) return value;
  }
  ADD_FAILURE() << "no number '" << name << "'";
  return -1;
}

TEST(ProfileReport, NumbersHaveNamesAndUnits) {
  const auto numbers = profile_numbers(eager(), eager());
  EXPECT_LE(numbers.size(), k_profile_numbers_max);
  EXPECT_DOUBLE_EQ(number_of(numbers, "call without a profiler, ms"), 2);
  EXPECT_NEAR(number_of(numbers, "aten::addmm, % of the time"), 78.9, 0.1);
  EXPECT_DOUBLE_EQ(number_of(numbers, "aten::addmm, GFLOP/s"), 100);
  EXPECT_DOUBLE_EQ(number_of(numbers, "aten::add, GB/s"), 20);
  EXPECT_DOUBLE_EQ(number_of(numbers, "this machine's copy, GB/s"), 40);
}

TEST(ProfileReport, OnAGpuTheKernelsCount) {
  const auto numbers = profile_numbers(on_gpu(), eager());
  EXPECT_DOUBLE_EQ(number_of(numbers, "kernels' time of a call, ms"), 1);
  EXPECT_DOUBLE_EQ(number_of(numbers, "launches of a call"), 5);
  EXPECT_DOUBLE_EQ(number_of(numbers, "longest kernel's registers of a thread"), 255);
  EXPECT_DOUBLE_EQ(number_of(numbers, "longest kernel's spilled bytes of a thread"), 16);
  EXPECT_DOUBLE_EQ(number_of(numbers, "longest kernel's occupancy, 0 to 1"), 0.25);
  const std::string rows = profile_rows(on_gpu(), eager());
  EXPECT_NE(rows.find("gemm"), std::string::npos) << rows;
}

TEST(ProfileReport, AClaimSaysSo) {
  const std::string text = profile_text("task", {eager(), on_gpu()}, Style());
  EXPECT_NE(text.find("mine.py  as its own process claims"), std::string::npos) << text;
  EXPECT_EQ(text.find("eager  as its own"), std::string::npos) << text;
}

TEST(ProfileReport, AProgramThatDidNotRunHasNoNumbers) {
  Profile failed = eager();
  failed.problem = "call: it raised";
  EXPECT_TRUE(profile_numbers(failed, eager()).empty());
  EXPECT_EQ(profile_rows(failed, eager()), "");
  const std::string text = profile_text("task", {eager(), failed}, Style());
  EXPECT_NE(text.find("no profile: call: it raised"), std::string::npos) << text;
}

TEST(ProfileReport, TheDocumentHoldsWhatWasMeasuredAndTheNumbers) {
  const auto told = nlohmann::json::parse(profile_json("task", {eager(), on_gpu()}));
  EXPECT_EQ(told.at("kind"), "profile");
  EXPECT_EQ(told.at("profiles").at(1).at("kernels").at(0).at("registers"), 255);
  EXPECT_EQ(told.at("profiles").at(0).at("numbers").at(0).at("name"),
            "call without a profiler, ms");
  EXPECT_TRUE(told.at("profiles").at(1).at("claimed"));
}

}  // namespace
}  // namespace cupel::report
