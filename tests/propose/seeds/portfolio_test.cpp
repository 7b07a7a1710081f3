#include "propose/seeds/portfolio.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "propose/sample_task.h"

namespace cupel::propose {
namespace {

std::set<std::string> names(const std::vector<Seed>& seeds) {
  std::set<std::string> found;
  for (const Seed& seed : seeds) found.insert(seed.name);
  return found;
}

TEST(Portfolio, NamesAndSourcesAreUnique) {
  for (const Policy policy : {Policy::eager, Policy::exact, Policy::tf32, Policy::half}) {
    const auto seeds = portfolio(sample_task(), sample_facts(), policy, Effort::full);
    std::set<std::string> sources;
    for (const Seed& seed : seeds) sources.insert(seed.source);
    EXPECT_EQ(names(seeds).size(), seeds.size());
    EXPECT_EQ(sources.size(), seeds.size());
  }
}

TEST(Portfolio, IsOrderedByWhatItCosts) {
  const auto seeds = portfolio(sample_task(), sample_facts(), Policy::half, Effort::full);
  EXPECT_TRUE(std::is_sorted(seeds.begin(), seeds.end(), [](const Seed& a, const Seed& b) {
    return a.expected_compile_s < b.expected_compile_s;
  }));
  EXPECT_EQ(seeds.front().name, "eager");
}

TEST(Portfolio, MoreEffortOnlyAdds) {
  for (const Policy policy : {Policy::eager, Policy::half}) {
    const auto quick = names(portfolio(sample_task(), sample_facts(), policy, Effort::quick));
    const auto normal = names(portfolio(sample_task(), sample_facts(), policy, Effort::normal));
    const auto full = names(portfolio(sample_task(), sample_facts(), policy, Effort::full));
    EXPECT_TRUE(std::includes(normal.begin(), normal.end(), quick.begin(), quick.end()));
    EXPECT_TRUE(std::includes(full.begin(), full.end(), normal.begin(), normal.end()));
    EXPECT_TRUE(quick.contains("eager") && quick.contains("compile"));
    EXPECT_LE(quick.size(), 8u);
    EXPECT_LE(normal.size(), 24u);
  }
}

TEST(Portfolio, LowPrecisionNeedsThePolicy) {
  for (const Policy policy : {Policy::eager, Policy::exact}) {
    for (const Seed& seed : portfolio(sample_task(), sample_facts(), policy, Effort::full)) {
      EXPECT_EQ(seed.source.find("bfloat16"), std::string::npos) << seed.name;
      EXPECT_EQ(seed.source.find("matmul_precision"), std::string::npos) << seed.name;
    }
  }
  const auto half = names(portfolio(sample_task(), sample_facts(), Policy::half, Effort::full));
  EXPECT_TRUE(half.contains("bf16+freezing"));
}

TEST(Portfolio, LeavesOutWhatCannotApply) {
  Task task = sample_task();
  task.source = "class Model: ...\n# a pointwise task\n";
  TaskFacts facts = sample_facts();
  facts.weight_bytes = 0;
  for (const std::string& name : names(portfolio(task, facts, Policy::eager, Effort::full))) {
    EXPECT_EQ(name.find("channels_last"), std::string::npos) << name;
    EXPECT_EQ(name.find("freezing"), std::string::npos) << name;
    EXPECT_EQ(name.find("fold_norms"), std::string::npos) << name;
  }
}

TEST(Portfolio, StrictStridesRuleOutOtherLayouts) {
  Task task = sample_task();
  task.settings.strict_strides = true;
  for (const std::string& name :
       names(portfolio(task, sample_facts(), Policy::eager, Effort::full))) {
    EXPECT_EQ(name.find("channels_last"), std::string::npos) << name;
  }
}

Derived rewritten() {
  return {"rewrite", "rewritten: like terms", "class Rewritten(Model):\n    pass\n", "Rewritten"};
}

TEST(Portfolio, WhatIsFreeGoesOnTopOfADerivedProgramToo) {
  for (const char* device : {"cpu", "cuda"}) {
    const auto seeds = portfolio_on(rewritten(), sample_task(), sample_facts(), Policy::half,
                                    Effort::normal, device);
    EXPECT_EQ(names(seeds).size(), seeds.size());
    EXPECT_TRUE(names(seeds).contains("rewrite+compile")) << device;
    for (const Seed& seed : seeds) {
      EXPECT_TRUE(seed.name.starts_with("rewrite+")) << seed.name;
      EXPECT_TRUE(seed.label.starts_with("rewritten: like terms, ")) << seed.label;
      EXPECT_NE(seed.source.find("class ModelNew(Rewritten):"), std::string::npos) << seed.name;
      const bool prepares = seed.source.find("def prepare(self)") != std::string::npos;
      const bool first = seed.source.find("        super().prepare()\n") != std::string::npos;
      EXPECT_EQ(prepares, first) << seed.name;  // its weights are derived before they are cast
    }
  }
}

TEST(Portfolio, ADerivedProgramIsCastWhereThePolicyAllowsIt) {
  const auto casts = [](Policy policy) {
    const auto seeds =
        portfolio_on(rewritten(), sample_task(), sample_facts(), policy, Effort::quick, "cuda");
    return std::any_of(seeds.begin(), seeds.end(), [](const Seed& seed) {
      return seed.source.find("float16") != std::string::npos;
    });
  };
  EXPECT_TRUE(casts(Policy::half));
  EXPECT_FALSE(casts(Policy::eager));
}

TEST(Portfolio, FoldsNormsWhereTheTaskIsServed) {
  Task task = sample_task();
  task.source = "class Model: ...\n# Conv2d, BatchNorm2d\n";
  TaskFacts facts = sample_facts();
  facts.inputs = {{"float32", {2, 3, 8, 8}, {192, 64, 8, 1}, 1536}};
  const auto folds = [&] {
    return names(portfolio(task, facts, Policy::eager, Effort::quick)).contains("fold_norms");
  };
  EXPECT_FALSE(folds());
  task.settings.mode = Mode::inference;
  EXPECT_TRUE(folds());
}

}  // namespace
}  // namespace cupel::propose
