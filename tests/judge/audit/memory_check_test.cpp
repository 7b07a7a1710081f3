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

TEST(MemoryCheck, AReportIsToldInTheCheckersWords) {
  EXPECT_EQ(stray_access(k_report), "Invalid __global__ read of size 4 bytes at scaled+0xe0");
  EXPECT_EQ(stray_access("========= Misaligned Shared or Local Address\n"),
            "Misaligned Shared or Local Address");
  EXPECT_EQ(stray_access("========= ERROR SUMMARY: 0 errors\nInvalid __global__ read\n"), "");
  EXPECT_EQ(stray_access(""), "");
}

TEST(MemoryCheck, AStrayAccessIsWrong) {
  const auto finding = find_stray_access(checked(k_report));
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->outcome, Outcome::wrong);
  EXPECT_EQ(finding->reason.code, "stray_access");
  EXPECT_NE(finding->reason.text.find("scaled+0xe0"), std::string::npos);
}

TEST(MemoryCheck, WhatDoesNotRunUnderTheCheckerIsNoted) {
  const auto programs = checked("", failure("operation not permitted when stream is capturing"));
  EXPECT_FALSE(find_stray_access(programs).has_value());
  const auto reason = memory_unchecked(programs);
  ASSERT_TRUE(reason.has_value());
  EXPECT_EQ(reason->code, "memory_unchecked");
}

TEST(MemoryCheck, ARoundThatFailedAccusesNobody) {
  auto programs = checked(k_report);
  programs[0].fault = failure("the reference");
  EXPECT_FALSE(find_stray_access(programs).has_value());
  EXPECT_TRUE(memory_unchecked(programs).has_value());
}

TEST(MemoryCheck, WithoutACheckerThereIsNothingToSay) {
  EXPECT_FALSE(find_stray_access({}).has_value());
  EXPECT_FALSE(memory_unchecked({}).has_value());
  auto sound = checked("ran\n");
  EXPECT_TRUE(memory_unchecked(sound).has_value());  // it was never called
  sound[1].calls.emplace_back();
  EXPECT_FALSE(memory_unchecked(sound).has_value());
}

}  // namespace
}  // namespace cupel::judge
