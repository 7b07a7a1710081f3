#include "propose/seeds/portfolio.h"

#include <algorithm>

#include "propose/seeds/recipe.h"
#include "propose/seeds/traits.h"

namespace cupel::propose {
namespace {

// A recipe and the least effort that includes it.
struct Entry {
  Recipe recipe;
  Effort effort;
};

constexpr Runner k_all_runners[] = {Runner::eager,        Runner::inference_mode,
                                    Runner::traced,       Runner::folded,
                                    Runner::compiled,     Runner::frozen,
                                    Runner::cpp_wrapper,  Runner::frozen_cpp_wrapper,
                                    Runner::max_autotune, Runner::frozen_max_autotune};

bool freezes(Runner runner) {
  return runner == Runner::frozen || runner == Runner::frozen_cpp_wrapper ||
         runner == Runner::frozen_max_autotune;
}

Layout best_layout(const Traits& traits) {
  if (!traits.convolves || traits.strict_strides) return Layout::as_is;
  if (traits.images) return Layout::channels_last;
  return traits.volumes ? Layout::channels_last_3d : Layout::as_is;
}

bool applies(const Recipe& recipe, const Traits& traits) {
  if (recipe.runner == Runner::folded) {
    if (!traits.folds_norms || recipe.precision != Precision::as_is) return false;
  }
  if (freezes(recipe.runner) && !traits.has_weights) return false;
  if (recipe.precision == Precision::onednn_bf16 || recipe.precision == Precision::onednn_tf32) {
    return traits.multiplies;
  }
  if (recipe.precision == Precision::autocast) return traits.multiplies;
  return true;
}

// The precisions that a policy allows beside the task's own.
std::vector<Precision> precisions(Policy policy) {
  if (policy == Policy::half) {
    return {Precision::bf16, Precision::autocast, Precision::onednn_bf16};
  }
  if (policy == Policy::tf32) return {Precision::onednn_tf32};
  return {};
}

void add_plain(std::vector<Entry>& entries, const Traits& traits) {
  const auto add = [&](Runner runner, Effort effort) {
    entries.push_back({{.runner = runner}, effort});
  };
  add(Runner::eager, Effort::quick);
  add(Runner::inference_mode, Effort::normal);
  add(Runner::traced, Effort::normal);
  add(Runner::folded, Effort::quick);
  add(Runner::compiled, Effort::quick);
  add(Runner::frozen, Effort::quick);
  // Without weights nothing can be frozen, so the plain wrapper takes the frozen one's place.
  add(Runner::cpp_wrapper, traits.has_weights ? Effort::full : Effort::normal);
  add(Runner::frozen_cpp_wrapper, Effort::normal);
  add(Runner::max_autotune, Effort::normal);
  add(Runner::frozen_max_autotune, Effort::normal);
}

void add_layouts(std::vector<Entry>& entries, const Traits& traits) {
  const Layout layout = best_layout(traits);
  if (layout == Layout::as_is) return;
  for (const Runner runner : k_all_runners) {
    Effort effort = Effort::full;
    if (runner == Runner::eager) effort = Effort::quick;
    if (runner == Runner::compiled || runner == Runner::frozen) effort = Effort::normal;
    if (runner == Runner::folded) effort = Effort::normal;
    entries.push_back({{.layout = layout, .runner = runner}, effort});
  }
}

Effort precision_effort(Precision precision, Runner runner) {
  const bool quick = precision != Precision::autocast;
  if (runner == Runner::eager) return quick ? Effort::quick : Effort::normal;
  if (runner == Runner::frozen)
    return precision == Precision::bf16 ? Effort::quick : Effort::normal;
  if (runner == Runner::compiled && precision == Precision::bf16) return Effort::normal;
  return Effort::full;
}

void add_precisions(std::vector<Entry>& entries, const Traits& traits, Policy policy) {
  const Layout layout = best_layout(traits);
  for (const Precision precision : precisions(policy)) {
    for (const Runner runner : k_all_runners) {
      const Effort effort = precision_effort(precision, runner);
      entries.push_back({{.precision = precision, .runner = runner}, effort});
      if (layout == Layout::as_is) continue;
      const bool sensible =
          precision == Precision::bf16 && (runner == Runner::eager || runner == Runner::frozen);
      entries.push_back({{.layout = layout, .precision = precision, .runner = runner},
                         sensible ? Effort::normal : Effort::full});
    }
  }
}

void add_threads(std::vector<Entry>& entries, const Traits& traits) {
  const Effort effort = traits.small ? Effort::normal : Effort::full;
  for (const Runner runner : {Runner::eager, Runner::compiled, Runner::frozen}) {
    const bool shadowed = runner == Runner::compiled && traits.has_weights;  // by the frozen one
    entries.push_back({{.one_thread = true, .runner = runner}, shadowed ? Effort::full : effort});
  }
}

Seed seed_of(const Recipe& recipe, const Task& task) {
  return {name_of(recipe), label_of(recipe), render(recipe, task.source),
          expected_compile_s(recipe)};
}

}  // namespace

std::vector<Seed> portfolio(const Task& task, const TaskFacts& facts, Policy policy, Effort effort,
                            std::string_view device) {
  if (device.starts_with("cuda")) return gpu_portfolio(task, facts, policy, effort);
  const Traits traits = traits_of(task, facts);
  std::vector<Entry> entries;
  add_plain(entries, traits);
  add_layouts(entries, traits);
  add_precisions(entries, traits, policy);
  add_threads(entries, traits);
  std::vector<Seed> seeds;
  for (const Entry& entry : entries) {
    if (entry.effort <= effort && applies(entry.recipe, traits)) {
      seeds.push_back(seed_of(entry.recipe, task));
    }
  }
  std::stable_sort(seeds.begin(), seeds.end(), [](const Seed& a, const Seed& b) {
    return a.expected_compile_s < b.expected_compile_s;
  });
  return seeds;
}

std::vector<Seed> portfolio_on(const Derived& program, const Task& task, const TaskFacts& facts,
                               Policy policy, Effort effort, std::string_view device) {
  if (device.starts_with("cuda")) return gpu_portfolio_on(program, task, facts, policy, effort);
  const Traits traits = traits_of(task, facts);
  const Layout layout = best_layout(traits);
  std::vector<Entry> entries{{{.runner = Runner::compiled}, Effort::quick},
                             {{.runner = Runner::frozen}, Effort::quick},
                             {{.runner = Runner::inference_mode}, Effort::normal},
                             {{.one_thread = true, .runner = Runner::frozen}, Effort::normal}};
  if (layout != Layout::as_is) {
    entries.push_back({{.layout = layout, .runner = Runner::frozen}, Effort::quick});
  }
  if (policy == Policy::half) {
    const Recipe half{.layout = layout, .precision = Precision::bf16, .runner = Runner::frozen};
    entries.push_back({half, Effort::quick});
  }
  std::vector<Seed> seeds;
  for (const auto& [recipe, least] : entries) {
    if (least > effort || !applies(recipe, traits)) continue;
    seeds.push_back({program.name + "+" + name_of(recipe), program.label + ", " + label_of(recipe),
                     render(recipe, program.source, program.base), expected_compile_s(recipe)});
  }
  return seeds;
}

}  // namespace cupel::propose
