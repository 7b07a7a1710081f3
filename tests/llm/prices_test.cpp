#include "llm/money/prices.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/rng.h"

namespace cupel::llm {
namespace {

PriceTable table_of(const std::vector<std::string>& specs) {
  PriceTable table;
  for (const std::string& spec : specs) EXPECT_TRUE(table.add_spec(spec)) << spec;
  return table;
}

std::string found(const PriceTable& table, std::string_view model) {
  const Price* price = table.find(model);
  return price ? price->model : "none";
}

TEST(Prices, AVersionOfAModelHasItsPriceAndAnotherModelHasNot) {
  const PriceTable table = table_of({"gpt-5=1,10", "gpt-5-mini=0.25,2", "claude-opus-4.5=5,25",
                                     "claude-opus-4=15,75", "gemini-2.5-pro=1.25,10"});
  EXPECT_EQ(found(table, "gpt-5"), "gpt-5");
  EXPECT_EQ(found(table, "gpt-5-2025-08-07"), "gpt-5");
  EXPECT_EQ(found(table, "openai/gpt-5"), "gpt-5");
  EXPECT_EQ(found(table, "gpt-5-mini-2025-08-07"), "gpt-5-mini");
  EXPECT_EQ(found(table, "gpt-5-pro"), "none");
  EXPECT_EQ(found(table, "gpt-5.4"), "none");
  EXPECT_EQ(found(table, "gpt-50"), "none");
  EXPECT_EQ(found(table, "claude-opus-4-5-20251101"), "claude-opus-4.5");
  EXPECT_EQ(found(table, "anthropic/claude-opus-4.5"), "claude-opus-4.5");
  EXPECT_EQ(found(table, "claude-opus-4-20250514"), "claude-opus-4");
  EXPECT_EQ(found(table, "claude-opus-4-7"), "none");
  EXPECT_EQ(found(table, "gemini-2.5-pro-preview-05-06"), "gemini-2.5-pro");
  EXPECT_EQ(found(table, "gemini-2.5-pro:free"), "none");
}

TEST(Prices, ASpecWithTwoRatesChargesCachedTokensInFull) {
  const PriceTable table = table_of({"m=2,8"});
  EXPECT_EQ(cost_nano_usd(*table.find("m"), {1000, 400, 10, 0}), 1000 * 2000 + 10 * 8000);
}

TEST(Prices, CachedTokensAreAmongThePrompt) {
  const PriceTable table = table_of({"m=2,0.5,8"});
  EXPECT_EQ(cost_nano_usd(*table.find("m"), {1000, 400, 10, 5}),
            600 * 2000 + 400 * 500 + 10 * 8000);
}

TEST(Prices, FractionsOfANanoDollarRoundUp) {
  const PriceTable table = table_of({"m=0.0001,0.0001"});
  EXPECT_EQ(cost_nano_usd(*table.find("m"), {1, 0, 0, 0}), 1);
}

TEST(Prices, BadSpecsSayTheForm) {
  for (const char* spec : {"", "m", "m=", "=1,2", "m=1", "m=1,2,3,4", "m=a,b", "m=-1,2", "m=1,2x",
                           "m=nan,1", "m=1e9,1"}) {
    PriceTable table;
    const Status added = table.add_spec(spec);
    ASSERT_FALSE(added) << spec;
    EXPECT_EQ(added.error().tag, ErrorTag::input);
    EXPECT_NE(added.error().hint.find("MODEL=INPUT,CACHED,OUTPUT"), std::string::npos);
  }
}

TEST(Prices, BadFilesAreNamed) {
  for (const char* text :
       {"", "{}", "[]", R"({"prices": [{}]})", R"({"prices": [{"model": "m", "input": 1}]})",
        R"({"prices": [{"model": "m", "input": "1", "output": 1}]})",
        R"({"prices": [{"model": "m", "input": -1, "output": 1}]})",
        R"({"prices": [{"model": 5, "input": 1, "output": 1}]})",
        R"({"prices": [{"model": "m", "input": 1, "output": 1, "date": 5}]})"}) {
    const auto table = PriceTable::parse(text, "prices.json");
    ASSERT_FALSE(table) << text;
    EXPECT_EQ(table.error().tag, ErrorTag::input);
    EXPECT_EQ(table.error().where, "prices.json");
  }
}

TEST(Prices, ALongPromptPaysItsTierWhole) {
  const auto table = PriceTable::parse(R"({"prices": [{"model": "m", "input": 1, "output": 10,
      "long": {"above": 1000, "input": 2, "output": 20}}]})",
                                       "prices.json");
  ASSERT_TRUE(table);
  const Price& price = *table->find("m");
  EXPECT_EQ(cost_nano_usd(price, {1000, 0, 1, 0}), 1000 * 1000 + 10'000);
  EXPECT_EQ(cost_nano_usd(price, {1001, 0, 1, 0}), 1001 * 2000 + 20'000);
}

TEST(Prices, TheBoundHoldsForWhateverIsBilled) {
  Rng rng(7);
  const auto table = PriceTable::parse(R"({"prices": [{"model": "m", "input": 1.37, "cached": 0.2,
      "written": 1.8, "output": 9.99,
      "long": {"above": 3000, "input": 2.7, "cached": 0.4, "output": 15}}]})",
                                       "p");
  ASSERT_TRUE(table);
  const Price& price = *table->find("m");
  for (int round = 0; round < 2000; ++round) {
    Prompt prompt;
    prompt.system = std::string(rng.below(3000), '\xFF');  // no UTF-8: it is mended, and grows
    prompt.user = std::string(rng.below(3000), '"');
    prompt.reply_tokens_max = static_cast<std::int64_t>(rng.below(5000));
    prompt.answers = 1 + static_cast<int>(rng.below(4));
    Usage usage;
    usage.prompt_tokens =
        static_cast<std::int64_t>(rng.below(3 * prompt.system.size() + prompt.user.size() + 1024));
    usage.cached_tokens = static_cast<std::int64_t>(rng.below(usage.prompt_tokens + 1));
    usage.written_tokens =
        static_cast<std::int64_t>(rng.below(usage.prompt_tokens - usage.cached_tokens + 1));
    usage.reply_tokens =
        static_cast<std::int64_t>(rng.below(prompt.answers * prompt.reply_tokens_max + 1));
    ASSERT_LE(cost_nano_usd(price, usage), cost_nano_usd_max(price, prompt)) << round;
  }
}

TEST(Prices, TheShippedTableIsSoundAndDated) {
  const auto home = home_directory();
  ASSERT_TRUE(home);
  const auto table = PriceTable::read(*home / "prices.json");
  ASSERT_TRUE(table) << table.error().describe();
  EXPECT_GT(table->prices().size(), 20u);
  for (const Price& price : table->prices()) {
    EXPECT_EQ(table->find(price.model), &price) << price.model;
    EXPECT_EQ(price.date.size(), 10u) << price.model;
    EXPECT_TRUE(price.source.starts_with("https://")) << price.model;
    EXPECT_LE(price.rates.cached, price.rates.input) << price.model;
    EXPECT_GT(price.rates.output, 0) << price.model;
  }
}

TEST(Prices, AMissingFileIsAnEmptyTable) {
  const auto table = PriceTable::read("/nonexistent/prices.json");
  ASSERT_TRUE(table);
  EXPECT_TRUE(table->prices().empty());
}

}  // namespace
}  // namespace cupel::llm
