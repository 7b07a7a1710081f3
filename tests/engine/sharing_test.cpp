#include "engine/plan/sharing.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/rng.h"

namespace cupel::engine {
namespace {

Proposal write(const std::string& id, const std::string& idea = "") {
  Proposal proposal;
  proposal.id = id;
  proposal.kind = Proposal::Kind::write;
  proposal.idea = idea;
  proposal.charged = true;
  return proposal;
}

TEST(Sharing, OnlyThoseThatAskTheSameOnTheSameTermsShare) {
  Proposal cheap = write("p4");
  cheap.tier = Tier::cheap;
  const std::vector<Proposal> waiting{write("p1"), write("p2", "tiles"), write("p3"), cheap,
                                      write("p5")};
  const auto found = alike(waiting.front(), waiting, 8);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1].id, "p3");
  EXPECT_EQ(found[2].id, "p5");
  EXPECT_EQ(alike(waiting.front(), waiting, 2).size(), 2u);
  EXPECT_EQ(alike(waiting[1], waiting, 8).size(), 1u);
}

TEST(Sharing, PartsOfABillAddUpAndFitWhatWasKeptBack) {
  Rng rng(3);
  for (int round = 0; round < 1000; ++round) {
    const int parts = 1 + static_cast<int>(rng.below(5));
    const auto nano_usd_max = static_cast<std::int64_t>(rng.below(1'000'000'000));
    Reply reply;
    reply.end = Reply::End::complete;
    reply.nano_usd = static_cast<std::int64_t>(rng.below(nano_usd_max + 1));
    reply.usage = {static_cast<std::int64_t>(rng.below(9999)), 0,
                   static_cast<std::int64_t>(rng.below(9999)), 0, 0};
    std::int64_t sum = 0, prompt_tokens = 0, reply_tokens = 0;
    for (int part = 0; part < parts; ++part) {
      const Reply own = part_of(reply, parts, part);
      ASSERT_LE(own.nano_usd, reserved_part(nano_usd_max, parts));
      sum += own.nano_usd;
      prompt_tokens += own.usage.prompt_tokens;
      reply_tokens += own.usage.reply_tokens;
    }
    ASSERT_EQ(sum, reply.nano_usd);
    ASSERT_EQ(prompt_tokens, reply.usage.prompt_tokens);
    ASSERT_EQ(reply_tokens, reply.usage.reply_tokens);
  }
}

TEST(Sharing, EachHasTheAnswerOfItsNumber) {
  Reply reply;
  reply.end = Reply::End::truncated;
  reply.problem = "the token limit cut the reply";
  reply.text = "a";
  reply.others = {"b"};
  EXPECT_EQ(part_of(reply, 3, 0).text, "a");
  EXPECT_EQ(part_of(reply, 3, 0).end, Reply::End::truncated);
  EXPECT_EQ(part_of(reply, 3, 1).text, "b");
  EXPECT_EQ(part_of(reply, 3, 1).end, Reply::End::complete);
  EXPECT_EQ(part_of(reply, 3, 2).end, Reply::End::failed);
}

}  // namespace
}  // namespace cupel::engine
