#include "simulated_ladder.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "search/strategies.h"

namespace cupel::bench {
namespace {

// More than any budget of dollars buys.
constexpr std::int64_t k_queries_unlimited = 1'000'000;
constexpr int k_runs = 1000;

std::unique_ptr<search::Strategy> strategy_named(const std::string& name, bool with_seed,
                                                 std::int64_t queries_max) {
  search::StrategyInputs inputs;
  inputs.queries_max = queries_max;
  if (with_seed) inputs.seeds = {{"compile", "torch.compile", "class ModelNew: compiled", 0}};
  auto strategy = search::make_strategy(name, std::move(inputs));
  if (!strategy) {
    std::fprintf(stderr, "%s\n", strategy.error().describe().c_str());
    return nullptr;
  }
  return std::move(*strategy);
}

}  // namespace

const std::vector<Rung>& ladder() {
  static const std::vector<Rung> rungs{{"pike-b", 2.88, true},
                                       {"pike-b:no-efa", 1.98, true},
                                       {"pike-b:no-iba", 2.68, false},
                                       {"pike-b:cheap-efa", 0, false},
                                       {"pike-o", 2.17, false},
                                       {"pike-o:1isl", 2.75, false},
                                       {"pike-o:1isl+eo+sl", 2.81, false}};
  return rungs;
}

const std::vector<std::string>& contestants() {
  static const std::vector<std::string> names{
      "pike-b",      "pike-b:cheap-efa",  "pike-b:no-iba", "pike-b:no-efa", "pike-o",
      "pike-o:1isl", "pike-o:1isl+eo+sl", "kernelbench",   "sakana",        "cupel:no-tune",
      "cupel"};
  return names;
}

simulate::Sample sample_of(const Arguments& arguments) {
  simulate::Sample sample;
  sample.runs = arguments.repeat > 1 ? arguments.repeat : k_runs;
  return sample;
}

std::vector<simulate::Trace> run_queries(const std::string& strategy, const simulate::World& world,
                                         const simulate::Sample& sample) {
  const auto made = strategy_named(strategy, false, k_published_queries);
  if (!made) return {};
  simulate::RunLimits limits;
  limits.queries_max = k_published_queries;
  return simulate::simulate_runs(*made, world, limits, sample);
}

std::vector<simulate::Trace> run_dollars(const std::string& strategy, const simulate::World& world,
                                         const simulate::Sample& sample, double usd,
                                         bool with_seed) {
  const auto made = strategy_named(strategy, with_seed, k_queries_unlimited);
  if (!made) return {};
  simulate::RunLimits limits;
  limits.usd_max = usd;
  return simulate::simulate_runs(*made, world, limits, sample);
}

}  // namespace cupel::bench
