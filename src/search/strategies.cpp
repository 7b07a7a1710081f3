#include "search/strategies.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <span>
#include <utility>

#include "search/cupel.h"
#include "search/portfolio.h"
#include "search/published/kernelbench.h"
#include "search/published/pike_b.h"
#include "search/published/pike_o.h"
#include "search/published/sakana.h"
#include "search/seeded.h"

namespace cupel::search {
namespace {

using Variants = std::set<std::string, std::less<>>;

// A strategy's name, its variants, and what makes it from the chosen ones.
struct Family {
  std::string_view name;
  std::span<const std::string_view> variants;
  std::unique_ptr<Strategy> (*make)(std::string name, const Variants& chosen,
                                    const StrategyInputs& inputs);
};

constexpr auto k_pike_b_variants =
    std::to_array<std::string_view>({"cheap-efa", "no-iba", "no-efa"});

std::unique_ptr<Strategy> make_pike_b(std::string name, const Variants& chosen,
                                      const StrategyInputs& inputs) {
  PikeBOptions options;
  options.name = std::move(name);
  options.brainstorms = !chosen.contains("no-iba");
  if (chosen.contains("no-efa")) options.fixes_max = 0;
  if (chosen.contains("cheap-efa")) options.fix_tier = Tier::cheap;
  options.queries_max = inputs.queries_max.value_or(options.queries_max);
  return std::make_unique<PikeB>(std::move(options));
}

constexpr auto k_pike_o_variants =
    std::to_array<std::string_view>({"no-efa", "mut", "npar", "1isl", "eo", "sl"});

std::unique_ptr<Strategy> make_pike_o(std::string name, const Variants& chosen,
                                      const StrategyInputs& inputs) {
  PikeOOptions options;
  options.name = std::move(name);
  if (chosen.contains("no-efa")) options.fixes_max = 0;
  if (chosen.contains("mut")) options.inspirations = 0;
  if (chosen.contains("npar")) options.parallel = 1;
  if (chosen.contains("1isl")) options.sizes.islands = 1;
  if (chosen.contains("eo")) options.ratios = {0, 1};
  if (chosen.contains("sl")) options.sizes.archive = 4;
  options.queries_max = inputs.queries_max.value_or(options.queries_max);
  return std::make_unique<PikeO>(std::move(options));
}

constexpr auto k_kernelbench_variants = std::to_array<std::string_view>({"refine"});

std::unique_ptr<Strategy> make_kernelbench(std::string name, const Variants& chosen,
                                           const StrategyInputs& inputs) {
  KernelBenchOptions options;
  options.name = std::move(name);
  if (chosen.contains("refine")) options.turns = k_refinement_turns;
  options.queries_max = inputs.queries_max.value_or(options.queries_max);
  return std::make_unique<KernelBench>(std::move(options));
}

std::unique_ptr<Strategy> make_sakana(std::string name, const Variants&,
                                      const StrategyInputs& inputs) {
  SakanaOptions options;
  options.name = std::move(name);
  options.queries_max = inputs.queries_max.value_or(options.queries_max);
  return std::make_unique<Sakana>(std::move(options));
}

constexpr auto k_cupel_variants = std::to_array<std::string_view>(
    {"no-cross", "no-free-parents", "no-tune", "no-analyse", "strong-efa", "no-stop"});

std::unique_ptr<Strategy> make_cupel(std::string name, const Variants& chosen,
                                     const StrategyInputs& inputs) {
  CupelOptions options;
  options.name = std::move(name);
  options.stop = inputs.stop;
  if (chosen.contains("no-cross")) options.crosses = false;
  if (chosen.contains("no-tune")) options.tunes = false;
  if (chosen.contains("no-analyse")) options.analysis_after = 0;
  if (chosen.contains("no-free-parents")) options.free_parents = false;
  if (chosen.contains("strong-efa")) options.fixes = {0, options.fixes.rounds_max()};
  if (chosen.contains("no-stop")) options.stop.log_gain_per_usd_min = 0;
  if (inputs.in_dollars) options.queries_max *= 10;
  options.queries_max = inputs.queries_max.value_or(options.queries_max);
  return std::make_unique<Cupel>(std::move(options));
}

constexpr auto k_families = std::to_array<Family>({
    {"cupel", k_cupel_variants, make_cupel},
    {"pike-b", k_pike_b_variants, make_pike_b},
    {"pike-o", k_pike_o_variants, make_pike_o},
    {"kernelbench", k_kernelbench_variants, make_kernelbench},
    {"sakana", {}, make_sakana},
});

tl::unexpected<Error> unknown(std::string_view what, std::string_view name) {
  std::string known;
  for (const std::string& each : strategy_names()) known += (known.empty() ? "" : ", ") + each;
  return input_error("unknown " + std::string(what) + " '" + std::string(name) + "'", "",
                     "one of: " + known + "; variants of one strategy are joined by '+'");
}

const Family* find_family(std::string_view name) {
  for (const Family& family : k_families) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

bool knows(const Family& family, std::string_view variant) {
  for (const std::string_view known : family.variants) {
    if (known == variant) return true;
  }
  return false;
}

Result<Variants> parse_variants(const Family& family, std::string_view text) {
  Variants chosen;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('+'), text.size());
    const std::string_view variant = text.substr(0, end);
    if (!knows(family, variant)) {
      return unknown("variant of " + std::string(family.name), variant);
    }
    chosen.emplace(variant);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return chosen;
}

}  // namespace

Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, StrategyInputs inputs) {
  Portfolio portfolio(std::move(inputs.files), std::move(inputs.seeds));
  if (name == k_portfolio_strategy) return std::make_unique<Portfolio>(std::move(portfolio));
  const std::size_t colon = std::min(name.find(':'), name.size());
  const Family* family = find_family(name.substr(0, colon));
  if (!family) return unknown("strategy", name);
  CUPEL_TRY(const Variants chosen,
            parse_variants(*family, name.substr(std::min(colon + 1, name.size()))));
  auto agents = family->make(std::string(name), chosen, inputs);
  return std::make_unique<Seeded>(std::move(portfolio), std::move(agents));
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> names{std::string(k_portfolio_strategy)};
  for (const Family& family : k_families) {
    names.emplace_back(family.name);
    for (const std::string_view variant : family.variants) {
      names.push_back(std::string(family.name) + ":" + std::string(variant));
    }
  }
  return names;
}

}  // namespace cupel::search
