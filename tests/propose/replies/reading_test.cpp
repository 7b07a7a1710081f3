#include "propose/replies/reading.h"

#include <gtest/gtest.h>

namespace cupel::propose {
namespace {

Reading read(const std::string& text) {
  Reply reply;
  reply.end = Reply::End::complete;
  reply.text = text;
  return parse_reading(reply);
}

TEST(ParseReading, TakesTheFormAsItIsAskedFor) {
  const Reading reading = read(
      "COMPUTES: no - it adds 1 where the task adds 2\nCLOCKS: no - none\n"
      "KEEPS: yes - returns self.saved\nFALLS BACK: unsure - a try block\n");
  EXPECT_EQ(reading.problem, "");
  ASSERT_EQ(reading.remarks.size(), 2U);
  EXPECT_EQ(reading.remarks[0].label, "computes something else");
  EXPECT_EQ(reading.remarks[0].why, "it adds 1 where the task adds 2");
  EXPECT_EQ(reading.remarks[1].label, "keeps answers");
  EXPECT_EQ(reading.remarks[1].why, "returns self.saved");
}

TEST(ParseReading, WhomNothingWorriesRemarksNothing) {
  const Reading reading = read(std::string(k_no_worries));
  EXPECT_EQ(reading.problem, "");
  EXPECT_TRUE(reading.remarks.empty());
}

TEST(ParseReading, MarksOfListsThoughtsAndCaseDoNotMatter) {
  const Reading reading = read(
      "<think>KEEPS: yes\nor not?</think>\r\n1. **Computes**: Yes.\r\n2. **Clocks:** no\r\n"
      "- `keeps`: No, nothing\r\n* FALLS_BACK : YES \xe2\x80\x94 calls Model\r\n");
  EXPECT_EQ(reading.problem, "");
  ASSERT_EQ(reading.remarks.size(), 1U);
  EXPECT_EQ(reading.remarks[0].label, "falls back to the reference");
  EXPECT_EQ(reading.remarks[0].why, "calls Model");
}

TEST(ParseReading, WhatHasNotTheFormIsOfNoUse) {
  for (const char* text :
       {"", "I think that this program is fine.", "COMPUTES: yes\nCLOCKS: no\nKEEPS: no\n",
        "COMPUTES: yes|no|unsure\nCLOCKS: no\nKEEPS: no\nFALLS BACK: no\n",
        "COMPUTES: maybe\nCLOCKS: no\nKEEPS: no\nFALLS BACK: no\n",
        "COMPUTES: yes\nCOMPUTES: no\nCLOCKS: no\nKEEPS: no\nFALLS BACK: no\n"}) {
    const Reading reading = read(text);
    EXPECT_NE(reading.problem, "") << text;
    EXPECT_TRUE(reading.remarks.empty()) << text;
  }
  EXPECT_NE(read(std::string(1 << 20, 'x')).problem, "");
}

TEST(ParseReading, AReasonIsOneShortLineThatATerminalDoesNotObey) {
  const Reading reading = read("COMPUTES: no - \x1b[31m" + std::string(5000, 'w') +
                               "\nCLOCKS: no\nKEEPS: no\n"
                               "FALLS BACK: no\n");
  ASSERT_EQ(reading.remarks.size(), 1U);
  EXPECT_LE(reading.remarks[0].why.size(), 200U);
  EXPECT_EQ(reading.remarks[0].why.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace cupel::propose
