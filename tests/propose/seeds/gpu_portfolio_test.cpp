#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "propose/sample_task.h"
#include "propose/seeds/portfolio.h"

namespace cupel::propose {
namespace {

constexpr Policy k_policies[] = {Policy::eager, Policy::exact, Policy::tf32, Policy::half};

std::vector<Seed> seeds_for(Policy policy, Effort effort, const Task& task = sample_task()) {
  return portfolio(task, sample_facts(), policy, effort, "cuda:0");
}

std::set<std::string> names(const std::vector<Seed>& seeds) {
  std::set<std::string> found;
  for (const Seed& seed : seeds) found.insert(seed.name);
  return found;
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Task attending_task() {
  Task task = sample_task();
  task.source += "\n# torch.softmax(torch.matmul(q, k), dim=-1)\n";
  return task;
}

TEST(GpuPortfolio, NamesAndSourcesAreUnique) {
  for (const Policy policy : k_policies) {
    const auto seeds = seeds_for(policy, Effort::full, attending_task());
    std::set<std::string> sources;
    for (const Seed& seed : seeds) sources.insert(seed.source);
    EXPECT_EQ(names(seeds).size(), seeds.size());
    EXPECT_EQ(sources.size(), seeds.size());
  }
}

TEST(GpuPortfolio, IsOrderedByWhatItCosts) {
  const auto seeds = seeds_for(Policy::half, Effort::full);
  EXPECT_TRUE(std::is_sorted(seeds.begin(), seeds.end(), [](const Seed& a, const Seed& b) {
    return a.expected_compile_s < b.expected_compile_s;
  }));
  EXPECT_EQ(seeds.front().name, "eager");
}

TEST(GpuPortfolio, MoreEffortOnlyAdds) {
  for (const Policy policy : k_policies) {
    for (const Task& task : {sample_task(), attending_task()}) {
      const auto quick = names(seeds_for(policy, Effort::quick, task));
      const auto normal = names(seeds_for(policy, Effort::normal, task));
      const auto full = names(seeds_for(policy, Effort::full, task));
      EXPECT_TRUE(std::includes(normal.begin(), normal.end(), quick.begin(), quick.end()));
      EXPECT_TRUE(std::includes(full.begin(), full.end(), normal.begin(), normal.end()));
      EXPECT_TRUE(quick.contains("eager") && quick.contains("compile"));
      EXPECT_TRUE(normal.contains("max_autotune"));
      EXPECT_LE(quick.size(), 10u);
      EXPECT_LE(normal.size(), 32u);
    }
  }
}

TEST(GpuPortfolio, LowPrecisionNeedsThePolicy) {
  for (const Policy policy : {Policy::eager, Policy::exact, Policy::tf32}) {
    for (const Seed& seed : seeds_for(policy, Effort::full)) {
      EXPECT_FALSE(holds(seed.source, "float16")) << seed.name;
      const bool turns_on = holds(seed.source, "matmul.allow_tf32 = True");
      EXPECT_EQ(turns_on, policy == Policy::tf32 && holds(seed.name, "tf32")) << seed.name;
    }
  }
  const auto half = names(seeds_for(Policy::half, Effort::quick));
  EXPECT_TRUE(half.contains("channels_last+fp16+compile+graph"));
  EXPECT_TRUE(half.contains("channels_last+autocast_fp16+graph"));
}

TEST(GpuPortfolio, LargeCallsAreNotCopiedIntoGraphs) {
  TaskFacts facts = sample_facts();
  facts.output_bytes = 1 << 30;
  for (const Policy policy : k_policies) {
    const auto quick = names(portfolio(sample_task(), facts, policy, Effort::quick, "cuda"));
    for (const std::string& name : quick) EXPECT_FALSE(holds(name, "graph")) << name;
    EXPECT_LE(quick.size(), 10u);
    EXPECT_LE(portfolio(sample_task(), facts, policy, Effort::normal, "cuda").size(), 32u);
  }
  const Derived rewritten{"rewrite", "rewritten", "class Rewritten: ...\n", "Rewritten"};
  const auto on_top =
      names(portfolio_on(rewritten, sample_task(), facts, Policy::eager, Effort::quick, "cuda"));
  EXPECT_TRUE(on_top.contains("rewrite+channels_last+compile"));
  EXPECT_FALSE(on_top.contains("rewrite+eager"));
}

TEST(GpuPortfolio, ExactTurnsTf32Off) {
  for (const Seed& seed : seeds_for(Policy::exact, Effort::full)) {
    EXPECT_TRUE(holds(seed.source, "torch.backends.cudnn.allow_tf32 = False")) << seed.name;
  }
}

TEST(GpuPortfolio, BaselinesStayAsTorchHasThem) {
  for (const Seed& seed : seeds_for(Policy::half, Effort::normal)) {
    const bool baseline = seed.name == "eager" || seed.name == "compile";
    EXPECT_EQ(holds(seed.source, "cudnn.benchmark"), !baseline) << seed.name;
  }
}

TEST(GpuPortfolio, LeavesOutWhatCannotApply) {
  Task task = sample_task();
  task.source = "class Model: ...\n# a pointwise task\n";
  TaskFacts facts = sample_facts();
  facts.weight_bytes = 0;
  for (const std::string& name :
       names(portfolio(task, facts, Policy::half, Effort::full, "cuda"))) {
    for (const char* part :
         {"channels_last", "freezing", "fold_norms", "sdpa", "autocast", "tf32"}) {
      EXPECT_FALSE(holds(name, part)) << name;
    }
  }
}

TEST(GpuPortfolio, OtherInterfacesStayAsTheyAre) {
  TaskFacts facts = sample_facts();
  facts.outputs = {{"float64", {2}, {1}, 16}};
  for (const Seed& seed : portfolio(sample_task(), facts, Policy::half, Effort::full, "cuda")) {
    EXPECT_FALSE(holds(seed.source, "float16")) << seed.name;
  }
}

TEST(GpuPortfolio, StrictStridesRuleOutOtherLayouts) {
  Task task = sample_task();
  task.settings.strict_strides = true;
  for (const std::string& name : names(seeds_for(Policy::half, Effort::full, task))) {
    EXPECT_FALSE(holds(name, "channels_last")) << name;
  }
}

}  // namespace
}  // namespace cupel::propose
