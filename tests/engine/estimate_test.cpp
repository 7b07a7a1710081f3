#include "engine/rehearse/estimate.h"

#include <gtest/gtest.h>

#include "engine/scripted_search.h"

namespace cupel::engine {
namespace {

// Costs money and must not be asked.
class SilentProvider final : public llm::Provider {
 public:
  std::string name() const override { return "silent"; }
  int concurrency_max() const override { return 4; }
  std::int64_t nano_usd_max(const Prompt&) const override { return 1'000'000; }
  Reply ask(const Prompt&, const StopFlag&) override {
    ADD_FAILURE() << "somebody was asked";
    return {};
  }
};

Estimate estimate_of(RunRequest request) {
  SilentProvider provider;
  const Agents agents = scripted_agents(provider);
  const PriceOf price_of = [](Tier, const Usage& usage) { return usage.reply_tokens * 100; };
  const auto made = estimate(request, agents, price_of);
  EXPECT_TRUE(made) << made.error().describe();
  return made.value_or(Estimate{});
}

TEST(Estimate, IsADryRunOfTheStrategy) {
  const Estimate made = estimate_of(search_request(30));
  EXPECT_EQ(made.queries, 30);
  EXPECT_EQ(made.questions, 31);
  const Assumptions assumed;
  EXPECT_EQ(made.nano_usd, 31 * assumed.reply_tokens * 100);
  EXPECT_EQ(made.nano_usd_worst, 31 * 1'000'000);
  EXPECT_GT(made.prompt_bytes, 0);
  EXPECT_GE(made.prompt_bytes_max, made.prompt_bytes);
  // Four questions at a time, 75 s each.
  EXPECT_GT(made.seconds, 31 / 4 * 75);
}

TEST(Estimate, HeedsTheBudget) {
  RunRequest request = search_request(30);
  request.options.nano_usd_max = 5'000'000;
  const Estimate made = estimate_of(request);
  EXPECT_LT(made.queries, 30);
  EXPECT_LE(made.nano_usd_worst, 5'000'000);
}

}  // namespace
}  // namespace cupel::engine
