#include "propose/replies/ideas.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cupel::propose {
namespace {

using Texts = std::vector<std::string>;
const Texts k_two = {"Fuse: one pass.", "Tile: by 64 rows."};

TEST(Ideas, NumberedForms) {
  for (const std::string reply : {"1. Fuse: one pass.\n2. Tile: by 64 rows.\n",
                                  "Here they are:\n\n1) Fuse: one pass.\n\n2) Tile: by 64 rows.",
                                  "**1.** Fuse: one pass.\n**2.** Tile: by\n   64 rows.",
                                  "### Idea 1: Fuse: one pass.\n### Idea 2: Tile: by 64 rows.",
                                  "1. **Fuse**: one pass.\n2. **Tile**: by 64 rows.",
                                  "```\n1. Fuse: one pass.\n2. Tile: by 64 rows.\n```"}) {
    EXPECT_EQ(ideas_in(reply), k_two) << reply;
  }
}

TEST(Ideas, BulletsAndJson) {
  for (const std::string reply :
       {"- Fuse: one pass.\n- Tile: by 64 rows.\n", "* Fuse: one pass.\n* Tile: by 64 rows.\n",
        "[\"Fuse: one pass.\", \"Tile: by 64 rows.\"]",
        "```json\n{\"ideas\": [{\"title\": \"Fuse\", \"text\": \"one pass.\"}, {\"title\": "
        "\"Tile\", "
        "\"text\": \"by 64 rows.\"}]}\n```"}) {
    EXPECT_EQ(ideas_in(reply), k_two) << reply;
  }
}

TEST(Ideas, DeeperBulletsBelongToTheirItem) {
  EXPECT_EQ(ideas_in("1. Fuse:\n   - one\n   - 1.5 times less\n2. Tile\n"),
            (Texts{"Fuse: - one - 1.5 times less", "Tile"}));
}

TEST(Ideas, AtMostTenAndNoneTooLong) {
  std::string reply;
  for (int i = 1; i <= 15; ++i)
    reply += std::to_string(i) + ". idea " + std::string(2000, 'x') + "\n";
  const Texts ideas = ideas_in(reply);
  ASSERT_EQ(ideas.size(), k_ideas_max);
  for (const std::string& idea : ideas) EXPECT_LE(idea.size(), k_idea_bytes_max);
}

TEST(Ideas, ProseHasNone) {
  EXPECT_TRUE(ideas_in("I cannot help with that. There are 3 reasons.").empty());
}

TEST(Plan, TwoLabels) {
  EXPECT_EQ(plan_in("BOTTLENECK: memory traffic\nof temporaries\nPLAN: fuse\n"),
            "Bottleneck: memory traffic of temporaries Plan: fuse");
  EXPECT_EQ(plan_in("**Bottleneck**: latency\n\n**Plan:** unroll by 4"),
            "Bottleneck: latency Plan: unroll by 4");
  EXPECT_EQ(plan_in("It is slow."), "");
}

RC_GTEST_PROP(Ideas, TakeAnyBytes, (std::string reply)) {
  RC_ASSERT(ideas_in(reply).size() <= k_ideas_max);
  RC_ASSERT(plan_in(reply).size() <= k_plan_bytes_max);
}

}  // namespace
}  // namespace cupel::propose
