#include "llm/money/ledger.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace cupel::llm {
namespace {

TEST(Ledger, TakesWhatIsReservedAndGivesBackWhatWasNotPaid) {
  Ledger ledger({.nano_usd_max = 100, .queries_max = 2});
  ASSERT_TRUE(ledger.reserve("p1", 60, 1));
  EXPECT_EQ(ledger.nano_usd_left(), 40);
  EXPECT_EQ(ledger.queries_left(), 1);
  ledger.settle("p1", 25, 1);
  EXPECT_EQ(ledger.nano_usd_spent(), 25);
  EXPECT_EQ(ledger.nano_usd_left(), 75);
  EXPECT_EQ(ledger.queries_left(), 1);
}

TEST(Ledger, RefusesWhatIsNotLeftAndTakesNothing) {
  Ledger ledger({.nano_usd_max = 100, .queries_max = 1});
  EXPECT_FALSE(ledger.reserve("p1", 101, 0));
  EXPECT_FALSE(ledger.reserve("p2", 0, 2));
  EXPECT_TRUE(ledger.reserve("p3", 100, 1));
  EXPECT_FALSE(ledger.reserve("p4", 1, 0));
}

TEST(LedgerDeathTest, PayingMoreThanWasReservedBreaksAnInvariant) {
  Ledger ledger({.nano_usd_max = 100, .queries_max = 1});
  ASSERT_TRUE(ledger.reserve("p1", 10, 1));
  EXPECT_DEATH(ledger.settle("p1", 11, 1), "nano_usd");
}

RC_GTEST_PROP(Ledger, SpentAndReservedNeverExceedTheLimits, ()) {
  const auto limit = *rc::gen::inRange<std::int64_t>(0, 1000);
  Ledger ledger({.nano_usd_max = limit, .queries_max = 20});
  std::vector<std::pair<std::string, std::int64_t>> open;
  const auto asks = *rc::gen::container<std::vector<int>>(40, rc::gen::inRange(0, 200));
  for (std::size_t i = 0; i < asks.size(); ++i) {
    const std::string id = "p" + std::to_string(i);
    if (ledger.reserve(id, asks[i], 1)) open.emplace_back(id, asks[i]);
    if (i % 3 == 2 && !open.empty()) {
      ledger.settle(open.back().first, open.back().second / 2, 1);
      open.pop_back();
    }
    RC_ASSERT(ledger.nano_usd_spent() + ledger.nano_usd_reserved() <= limit);
    RC_ASSERT(ledger.nano_usd_left() >= 0);
    RC_ASSERT(ledger.queries_left() >= 0);
  }
}

}  // namespace
}  // namespace cupel::llm
