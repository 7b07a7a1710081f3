#include "judge/audit/memory_check.h"

#include <gtest/gtest.h>

namespace cupel::judge {
namespace {

constexpr const char* k_report =
    "ran 7\n"
    "========= Invalid __global__ read of size 4 bytes\n"
    "=========     at scaled+0xe0\n"
    "=========     by thread (160,0,0) in block (4095,0,0)\n";

std::vector<ProgramEvidence> checked(const std::string& output, HostFault fault = {}) {
  std::vector<ProgramEvidence> programs(2);
  programs[1].output_tail = output;
  programs[1].fault = std::move(fault);
  return programs;
}

HostFault failure(std::string what) {
  return {HostFault::Kind::runtime_error, "call", std::move(what), "", 3};
}

std::string told(const std::string& output) {
  const auto finding = find_bad_memory(checked(output));
  return finding ? finding->reason.code + ": " + finding->reason.text : "";
}

TEST(MemoryCheck, AReportIsToldInTheCheckersWords) {
  EXPECT_EQ(told(k_report),
            "stray_access: under the GPU's memory checker it touches memory that is not its own: "
            "Invalid __global__ read of size 4 bytes at scaled+0xe0");
  EXPECT_NE(told("========= Misaligned Shared or Local Address\n"), "");
  EXPECT_EQ(told("========= ERROR SUMMARY: 0 errors\nInvalid __global__ read\n"), "");
  EXPECT_EQ(told(""), "");
}

TEST(MemoryCheck, RacesAndUninitializedSharedMemoryAreWrong) {
  EXPECT_TRUE(told("========= Error: Race reported between Write access at summed(float *)+0x1\n"
                   "=========     and Read access at summed(float *)+0x2 [960 hazards]\n")
                  .starts_with("shared_race: "));
  EXPECT_EQ(told("========= Warning: Race reported between Write access at summed+0x1\n"), "");
  EXPECT_TRUE(told("========= Uninitialized __shared__ memory read of size 4 bytes\n"
                   "=========     at summed(float const *)+0x70\n")
                  .starts_with("shared_uninitialized: "));
  EXPECT_EQ(told("========= Uninitialized __global__ memory read of size 4 bytes\n"), "");
}

TEST(MemoryCheck, EachCheckersWordCounts) {
  std::vector<ProgramEvidence> programs = checked("ran\n");
  programs[1].calls.emplace_back();
  programs.push_back(checked(k_report)[1]);
  EXPECT_TRUE(find_bad_memory(programs).has_value());
  programs[2].output_tail = "";
  programs[2].fault = failure("out of time");
  EXPECT_NE(memory_unchecked(programs)->text.find("out of time"), std::string::npos);
}

TEST(MemoryCheck, AStrayAccessIsWrong) {
  const auto finding = find_bad_memory(checked(k_report));
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->outcome, Outcome::wrong);
  EXPECT_EQ(finding->reason.code, "stray_access");
  EXPECT_NE(finding->reason.text.find("scaled+0xe0"), std::string::npos);
}

TEST(MemoryCheck, WhatDoesNotRunUnderTheCheckerIsNoted) {
  const auto programs = checked("", failure("operation not permitted when stream is capturing"));
  EXPECT_FALSE(find_bad_memory(programs).has_value());
  const auto reason = memory_unchecked(programs);
  ASSERT_TRUE(reason.has_value());
  EXPECT_EQ(reason->code, "memory_unchecked");
}

TEST(MemoryCheck, ARoundThatFailedAccusesNobody) {
  auto programs = checked(k_report);
  programs[0].fault = failure("the reference");
  EXPECT_FALSE(find_bad_memory(programs).has_value());
  EXPECT_TRUE(memory_unchecked(programs).has_value());
}

TEST(MemoryCheck, WithoutACheckerThereIsNothingToSay) {
  EXPECT_FALSE(find_bad_memory({}).has_value());
  EXPECT_FALSE(memory_unchecked({}).has_value());
  auto sound = checked("ran\n");
  EXPECT_TRUE(memory_unchecked(sound).has_value());  // it was never called
  sound[1].calls.emplace_back();
  EXPECT_FALSE(memory_unchecked(sound).has_value());
}

}  // namespace
}  // namespace cupel::judge
