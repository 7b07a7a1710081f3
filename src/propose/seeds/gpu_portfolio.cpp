#include <algorithm>

#include "propose/seeds/gpu_recipe.h"
#include "propose/seeds/portfolio.h"
#include "propose/seeds/traits.h"

namespace cupel::propose {
namespace {

// How a recipe's kernels are made and launched.
struct GpuRunner {
  GpuCompiler compiler;
  Launch launch;
};

constexpr GpuRunner k_eager{GpuCompiler::none, Launch::calls};
constexpr GpuRunner k_graph{GpuCompiler::none, Launch::graph};
constexpr GpuRunner k_compile{GpuCompiler::inductor, Launch::calls};
constexpr GpuRunner k_compile_graph{GpuCompiler::inductor, Launch::graph};
constexpr GpuRunner k_freezing_graph{GpuCompiler::frozen, Launch::graph};
constexpr GpuRunner k_reduce_overhead{GpuCompiler::inductor, Launch::own_graph};
constexpr GpuRunner k_max_autotune{GpuCompiler::tuned, Launch::own_graph};
constexpr GpuRunner k_autotuned_graph{GpuCompiler::tuned, Launch::graph};
constexpr GpuRunner k_freezing_autotuned_graph{GpuCompiler::frozen_tuned, Launch::graph};
constexpr GpuRunner k_all_runners[] = {
    k_eager,         k_graph,           k_compile,
    k_compile_graph, k_freezing_graph,  k_reduce_overhead,
    k_max_autotune,  k_autotuned_graph, k_freezing_autotuned_graph};

// A graph copies inputs into its own buffers and outputs out of them. So much takes some 50 us,
// more than a graph mostly saves in launches.
constexpr std::int64_t k_copied_bytes_max = 64 << 20;

// A recipe and the least effort that includes it.
struct GpuEntry {
  GpuRecipe recipe;
  Effort effort;
};

// What the entries of one task have to choose from.
struct Choices {
  Traits traits;
  Layout layout = Layout::as_is;             // the other layout, where there is one
  GpuPrecision plain = GpuPrecision::as_is;  // the policy's own arithmetic
  GpuPrecision best = GpuPrecision::as_is;   // the fastest that it allows
  std::vector<GpuPrecision> others;          // what else it allows, best first
  bool copies_much = false;                  // a graph would, so quick effort goes without
};

Layout other_layout(const Traits& traits) {
  if (!traits.convolves || traits.strict_strides) return Layout::as_is;
  if (traits.images) return Layout::channels_last;
  return traits.volumes ? Layout::channels_last_3d : Layout::as_is;
}

// Without products all arithmetic is float32 under every policy but half, which halves the bytes.
Choices choices_of(const Task& task, const TaskFacts& facts, Policy policy) {
  Choices choices;
  choices.traits = traits_of(task, facts);
  const bool multiplies = choices.traits.multiplies;
  choices.layout = other_layout(choices.traits);
  choices.copies_much = facts.input_bytes + facts.output_bytes > k_copied_bytes_max;
  if (policy == Policy::exact && multiplies) {
    choices.plain = choices.best = GpuPrecision::exact;
  }
  if (policy == Policy::tf32 && multiplies) choices.best = GpuPrecision::tf32;
  if (policy == Policy::half && choices.traits.plain_floats) {
    choices.best = GpuPrecision::fp16;
    choices.others = {GpuPrecision::bf16};
    if (multiplies) {
      choices.others = {GpuPrecision::amp_fp16, GpuPrecision::bf16, GpuPrecision::amp_bf16,
                        GpuPrecision::tf32};
    }
  }
  return choices;
}

class Entries {
 public:
  explicit Entries(const Choices& choices) : choices_(choices) {}

  void add(Effort effort, GpuRunner runner, GpuRecipe recipe) {
    if (effort == Effort::quick && runner.launch == Launch::graph && choices_.copies_much) {
      add(Effort::quick, {runner.compiler, Launch::calls}, recipe);
      effort = Effort::normal;
    }
    recipe.compiler = runner.compiler;
    recipe.launch = runner.launch;
    if (recipe.precision == GpuPrecision::as_is) recipe.precision = choices_.plain;
    // Plain eager and plain torch.compile are baselines: they stay as torch has them.
    const bool baseline = name_of(recipe) == "eager" || name_of(recipe) == "compile";
    recipe.reshapes = choices_.traits.views;
    recipe.benchmarked = choices_.traits.convolves && !baseline;
    for (GpuEntry& entry : entries_) {
      if (name_of(entry.recipe) != name_of(recipe)) continue;
      entry.effort = std::min(entry.effort, effort);
      return;
    }
    entries_.push_back({recipe, effort});
  }

  const std::vector<GpuEntry>& list() const { return entries_; }

 private:
  const Choices& choices_;
  std::vector<GpuEntry> entries_;
};

// torch's own variants, as other reports have them.
void add_baselines(Entries& entries) {
  entries.add(Effort::quick, k_eager, {});
  entries.add(Effort::quick, k_compile, {});
  entries.add(Effort::normal, k_max_autotune, {});
  entries.add(Effort::normal, k_reduce_overhead, {});
}

// The best that the policy allows, by every way to run it.
void add_best(Entries& entries, const Choices& choices) {
  const GpuRecipe there{.layout = choices.layout, .precision = choices.best};
  entries.add(Effort::quick, k_graph, there);
  entries.add(Effort::quick, k_compile_graph, there);
  entries.add(Effort::normal, k_eager, there);
  entries.add(Effort::normal, k_autotuned_graph, there);
  const GpuRecipe as_is{.precision = choices.best};
  entries.add(Effort::normal, k_graph, as_is);
  entries.add(Effort::normal, k_compile_graph, as_is);
  entries.add(Effort::normal, k_autotuned_graph, as_is);
  if (choices.traits.has_weights) {
    entries.add(Effort::normal, k_freezing_graph, as_is);
    entries.add(Effort::full, k_freezing_graph, there);
  }
}

// A model may reject the best precision, or overflow in it.
void add_others(Entries& entries, const Choices& choices) {
  for (std::size_t i = 0; i < choices.others.size(); ++i) {
    const GpuRecipe recipe{.layout = choices.layout, .precision = choices.others[i]};
    entries.add(i == 0 ? Effort::quick : Effort::normal, k_graph, recipe);
    entries.add(i == 0 ? Effort::quick : Effort::normal, k_compile_graph, recipe);
    if (i == 0) entries.add(Effort::normal, k_autotuned_graph, recipe);
  }
  if (!choices.others.empty() || choices.best != choices.plain) {
    entries.add(Effort::normal, k_graph, {.layout = choices.layout});
    entries.add(Effort::normal, k_compile_graph, {});
  }
}

void add_attention(Entries& entries, const Choices& choices) {
  if (!choices.traits.attends) return;
  const GpuRecipe best{.precision = choices.best, .attention = true};
  entries.add(Effort::quick, k_graph, best);
  entries.add(Effort::quick, k_compile_graph, best);
  entries.add(Effort::normal, k_autotuned_graph, best);
  for (std::size_t i = 0; i < choices.others.size(); ++i) {
    const GpuRecipe other{.precision = choices.others[i], .attention = true};
    entries.add(i == 0 ? Effort::normal : Effort::full, k_compile_graph, other);
    entries.add(Effort::full, k_graph, other);
  }
}

void add_folded(Entries& entries, const Choices& choices) {
  if (!choices.traits.folds_norms) return;
  for (const Layout layout : {choices.layout, Layout::as_is}) {
    entries.add(layout == choices.layout ? Effort::quick : Effort::normal, k_graph,
                {.layout = layout, .precision = choices.best, .folded = true});
    entries.add(Effort::normal, k_eager,
                {.layout = layout, .precision = choices.best, .folded = true});
  }
}

void add_products(Entries& entries, const Choices& choices) {
  std::vector<GpuPrecision> precisions{choices.plain, choices.best};
  precisions.insert(precisions.end(), choices.others.begin(), choices.others.end());
  for (const GpuPrecision precision : precisions) {
    for (const Layout layout : {Layout::as_is, choices.layout}) {
      for (const GpuRunner runner : k_all_runners) {
        const bool freezes =
            runner.compiler == GpuCompiler::frozen || runner.compiler == GpuCompiler::frozen_tuned;
        if (freezes && !choices.traits.has_weights) continue;
        entries.add(Effort::full, runner, {.layout = layout, .precision = precision});
      }
    }
  }
}

// On top of a program whose own rewriting has fused and folded what it could.
void add_for_derived(Entries& entries, const Choices& choices) {
  const GpuRecipe best{.precision = choices.best};
  entries.add(Effort::quick, k_compile, {});
  entries.add(Effort::quick, k_graph, best);
  entries.add(Effort::quick, k_compile_graph,
              {.layout = choices.layout, .precision = choices.best});
  entries.add(Effort::normal, k_compile_graph, best);
  entries.add(Effort::normal, k_compile_graph, {});
  entries.add(Effort::normal, k_graph, {.layout = choices.layout, .precision = choices.best});
  for (std::size_t i = 0; i < choices.others.size(); ++i) {
    const GpuRecipe other{.layout = choices.layout, .precision = choices.others[i]};
    entries.add(i == 0 ? Effort::normal : Effort::full, k_compile_graph, other);
  }
}

}  // namespace

std::vector<Seed> gpu_portfolio_on(const Derived& program, const Task& task, const TaskFacts& facts,
                                   Policy policy, Effort effort) {
  const Choices choices = choices_of(task, facts, policy);
  Entries entries(choices);
  add_for_derived(entries, choices);
  std::vector<Seed> seeds;
  for (const GpuEntry& entry : entries.list()) {
    if (entry.effort > effort || name_of(entry.recipe) == "eager") continue;  // itself
    seeds.push_back(
        {program.name + "+" + name_of(entry.recipe), program.label + ", " + label_of(entry.recipe),
         render(entry.recipe, program.source, program.base), expected_compile_s(entry.recipe)});
  }
  return seeds;
}

std::vector<Seed> gpu_portfolio(const Task& task, const TaskFacts& facts, Policy policy,
                                Effort effort) {
  const Choices choices = choices_of(task, facts, policy);
  Entries entries(choices);
  add_baselines(entries);
  add_best(entries, choices);
  add_others(entries, choices);
  add_attention(entries, choices);
  add_folded(entries, choices);
  add_products(entries, choices);
  std::vector<Seed> seeds;
  for (const GpuEntry& entry : entries.list()) {
    if (entry.effort > effort) continue;
    seeds.push_back({name_of(entry.recipe), label_of(entry.recipe),
                     render(entry.recipe, task.source), expected_compile_s(entry.recipe)});
  }
  std::stable_sort(seeds.begin(), seeds.end(), [](const Seed& a, const Seed& b) {
    return a.expected_compile_s < b.expected_compile_s;
  });
  return seeds;
}

}  // namespace cupel::propose
