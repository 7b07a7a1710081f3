#include "engine/plan/reserving.h"

#include <gtest/gtest.h>

#include "engine/plan/budget.h"
#include "engine/scripted_search.h"
#include "llm/money/prices.h"

namespace cupel::engine {
namespace {

// gpt-5's price; answers of so many tokens.
class PricedProvider final : public llm::Provider {
 public:
  explicit PricedProvider(std::int64_t reply_tokens) : reply_tokens_(reply_tokens) {}
  std::string name() const override { return "priced"; }
  int concurrency_max() const override { return 4; }
  std::optional<Price> price() const override {
    Price price;
    price.rates = {1.25, 0.125, 10};
    return price;
  }
  std::int64_t nano_usd_max(const Prompt& prompt) const override {
    return llm::cost_nano_usd_max(*price(), prompt) * prompt.billed_attempts_max;
  }
  Reply ask(const Prompt& prompt, const StopFlag&) override {
    Reply reply;
    reply.end = Reply::End::complete;
    reply.text = "class ModelNew: " + prompt.proposal_id;
    reply.usage.prompt_tokens = 6'000;
    reply.usage.reply_tokens = std::min(reply_tokens_, prompt.reply_tokens_max);
    reply.usage_known = true;
    reply.nano_usd = llm::cost_nano_usd(*price(), reply.usage);
    reply.seconds = 20;
    reply.attempts = 1;
    terms.push_back(prompt);
    return reply;
  }

  std::vector<Prompt> terms;

 private:
  std::int64_t reply_tokens_;
};

Agents agents_of(PricedProvider& provider) {
  Agents agents = scripted_agents(provider);
  const auto make = agents.make_prompt;
  agents.make_prompt = [make](const Proposal& proposal, const propose::Context& context) {
    auto prompt = make(proposal, context);
    prompt->system = std::string(25'000, 's');
    prompt->reply_tokens_max = 24'576;
    return prompt;
  };
  return agents;
}

struct Bought {
  RunRecord record;
  std::int64_t spent = 0;
  int programs = 0;
  std::string end;
};

Bought search_with(PricedProvider& provider, std::int64_t nano_usd_max) {
  const TempDir directory = scratch();
  FakeClock clock;
  journal::Journal journal = open_or_die(directory.path(), clock);
  const Agents agents = agents_of(provider);
  ScriptedEvaluator evaluator = evaluator_of(3);
  SimulatedLanes lanes({}, evaluator, agents, clock);
  SilentSink sink;
  RunRequest request = search_request(100);
  request.options.nano_usd_max = nano_usd_max;
  auto record = run(request, Means(evaluator, agents, &lanes), journal, sink);
  EXPECT_TRUE(record) << record.error().describe();
  Bought bought{*record, journal.state().nano_usd_spent, 0, record->search_end};
  for (const Judged& judged : record->judged) bought.programs += !judged.candidate.id.empty();
  EXPECT_LE(bought.spent, nano_usd_max);
  return bought;
}

// A question of gpt-5 may cost $0.57; its answers cost $0.07.
TEST(Reserving, WhatAnswersTookBeforeLetsABudgetBeUsed) {
  PricedProvider provider(6'000);
  const Bought bought = search_with(provider, 900'000'000);
  EXPECT_GE(bought.spent, 800'000'000) << bought.end;
  EXPECT_GE(bought.programs, 10);
  EXPECT_EQ(provider.terms.front().billed_attempts_max, 2);
  EXPECT_EQ(provider.terms.back().billed_attempts_max, 1);
  EXPECT_EQ(provider.terms.back().reply_tokens_max, 9'000);
  for (const Prompt& terms : provider.terms) {
    EXPECT_LE(6'000, terms.reply_tokens_max) << "no answer is cut to save money";
  }
}

TEST(Reserving, AnAmpleBudgetKeepsTheAgentsOwnTerms) {
  PricedProvider provider(6'000);
  search_with(provider, 500'000'000'000);
  for (const Prompt& terms : provider.terms) {
    EXPECT_EQ(terms.billed_attempts_max, 2);
    EXPECT_EQ(terms.reply_tokens_max, 24'576);
  }
}

TEST(Reserving, ABudgetThatBuysNothingNamesTheLeastThatWould) {
  PricedProvider provider(6'000);
  const Bought none = search_with(provider, 100'000'000);
  EXPECT_EQ(none.spent, 0);
  EXPECT_TRUE(provider.terms.empty());
  const std::string words = "--budget ";
  const std::size_t at = none.end.find(words);
  ASSERT_NE(at, std::string::npos) << none.end;
  const double least_usd = std::strtod(none.end.c_str() + at + words.size(), nullptr);
  EXPECT_GT(least_usd, 0.1);
  const auto least = static_cast<std::int64_t>(least_usd * 1e9);
  search_with(provider, least);
  EXPECT_FALSE(provider.terms.empty());
  PricedProvider other(6'000);
  search_with(other, least - 20'000'000);
  EXPECT_TRUE(other.terms.empty());
}

TEST(Reserving, AnAnswerThatIsCutRaisesTheBound) {
  PricedProvider provider(24'000);
  const Bought bought = search_with(provider, 2'000'000'000);
  EXPECT_GE(bought.spent, 1'400'000'000);
  for (const Prompt& terms : provider.terms) EXPECT_GE(terms.reply_tokens_max, 24'000);
}

}  // namespace
}  // namespace cupel::engine
