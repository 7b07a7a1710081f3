#include "llm/providers/recorded.h"

#include <gtest/gtest.h>

#include "llm/money/ledger.h"

namespace cupel::llm {
namespace {

Prompt prompt_of(const std::string& id) {
  Prompt prompt;
  prompt.proposal_id = id;
  return prompt;
}

TEST(Recorded, AnswersAsBeforeAndFitsALedger) {
  RecordedReply recorded;
  recorded.reply.end = Reply::End::truncated;
  recorded.reply.text = "half";
  recorded.reply.nano_usd = 70;
  recorded.nano_usd_max = 100;
  Recorded provider("openai:gpt-5", {{"p0001", recorded}});
  const Prompt prompt = prompt_of("p0001");
  StopFlag stop;
  EXPECT_EQ(provider.name(), "openai:gpt-5");
  EXPECT_EQ(provider.nano_usd_max(prompt), 100);
  const Reply reply = provider.ask(prompt, stop);
  EXPECT_EQ(encode(reply), encode(recorded.reply));
  Ledger ledger({.nano_usd_max = 100, .queries_max = 1});
  ASSERT_TRUE(ledger.reserve("p0001", provider.nano_usd_max(prompt), 1));
  ledger.settle("p0001", reply.nano_usd, 1);
  EXPECT_EQ(ledger.nano_usd_left(), 30);
}

TEST(Recorded, WhatTheJournalLacksFailsAndSaysWhich) {
  Recorded provider("x", {});
  StopFlag stop;
  const Reply reply = provider.ask(prompt_of("p0042"), stop);
  EXPECT_EQ(reply.end, Reply::End::failed);
  EXPECT_NE(reply.problem.find("p0042"), std::string::npos);
  EXPECT_EQ(provider.nano_usd_max(prompt_of("p0042")), 0);
}

}  // namespace
}  // namespace cupel::llm
