#include "engine/rehearse/estimate.h"

#include <gtest/gtest.h>

#include "engine/scripted_search.h"
#include "search/strategies.h"

namespace cupel::engine {
namespace {

// Costs money and must not be asked.
class SilentProvider : public llm::Provider {
 public:
  std::string name() const override { return "silent"; }
  int concurrency_max() const override { return 4; }
  std::int64_t nano_usd_max(const Prompt&) const override { return 1'000'000; }
  Reply ask(const Prompt&, const StopFlag&) override {
    ADD_FAILURE() << "somebody was asked";
    return {};
  }
};

// Sells several answers to one prompt.
class SharedProvider final : public SilentProvider {
 public:
  int answers_max() const override { return 4; }
  std::int64_t nano_usd_max(const Prompt& prompt) const override {
    return 1'000'000 + 1'000'000 * prompt.answers;
  }
};

Estimate estimate_of(RunRequest request, llm::Provider& provider, const PriceOf& price_of) {
  const Agents agents = scripted_agents(provider);
  const auto made = estimate(request, agents, price_of);
  EXPECT_TRUE(made) << made.error().describe();
  return made.value_or(Estimate{});
}

Estimate estimate_of(RunRequest request) {
  SilentProvider provider;
  return estimate_of(std::move(request), provider,
                     [](Tier, const Usage& usage) { return usage.reply_tokens * 100; });
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

// What a prompt costs is paid once a question, what answers cost once an answer.
TEST(Estimate, KnowsOfSeveralAnswersToOnePrompt) {
  constexpr int k_queries = 30;
  RunRequest request = search_request(k_queries);
  request.strategy_source =
      [](const journal::RunState&) -> Result<std::unique_ptr<search::Strategy>> {
    return search::make_strategy("kernelbench", {.queries_max = k_queries});
  };
  const PriceOf price_of = [](Tier, const Usage& usage) {
    return usage.prompt_tokens * 1'000 + usage.reply_tokens * 100;
  };
  SilentProvider one_by_one;
  const Estimate alone = estimate_of(request, one_by_one, price_of);
  SharedProvider four;
  const Estimate shared = estimate_of(request, four, price_of);
  EXPECT_EQ(alone.questions, k_queries);
  EXPECT_EQ(shared.queries, k_queries);
  EXPECT_LT(shared.questions, k_queries / 2);
  EXPECT_GE(shared.questions, k_queries / 4);
  const Assumptions assumed;
  const std::int64_t replies = k_queries * assumed.reply_tokens * 100;
  ASSERT_GT(alone.nano_usd, replies);
  // Prompts of much the same length, read as many times as there are questions.
  EXPECT_NEAR(static_cast<double>(shared.nano_usd - replies) / shared.questions,
              static_cast<double>(alone.nano_usd - replies) / alone.questions, 1000);
  EXPECT_EQ(shared.nano_usd_worst, (shared.questions + k_queries) * 1'000'000);
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
