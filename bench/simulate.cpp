// Strategies against each other on synthetic tasks; docs/simulator.md says how to read it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "report/words/text_table.h"
#include "simulated_ladder.h"

namespace cupel::bench {
namespace {

using report::Column;
using report::TextTable;
using simulate::Score;
using simulate::Trace;

constexpr double k_budget_usd = 25;
constexpr const char* k_champion = "pike-b";
constexpr double k_checkpoints_usd[] = {2.5, 5, 10, 12.5, k_budget_usd};

std::string score_text(const Score& score) {
  return fmt::format("{:.2f} {:.2f}-{:.2f}", score.geomean, score.interval.low,
                     score.interval.high);
}

std::string part_text(double part) {
  return std::isfinite(part) ? fmt::format("{:.0f} %", 100 * part) : "never";
}

std::string price_text(const simulate::Price& price) {
  return fmt::format("{} ({} - {})", part_text(price.usd), part_text(price.interval.low),
                     part_text(price.interval.high));
}

TextTable table_of(const std::vector<std::string>& titles) {
  std::vector<Column> columns{{titles.front(), Column::Align::left, false}};
  for (std::size_t i = 1; i < titles.size(); ++i) {
    columns.push_back({titles[i], Column::Align::right, false});
  }
  return TextTable(std::move(columns));
}

void print(const TextTable& table) {
  std::printf("%s\n", table.str({false, 150}).c_str());
  std::fflush(stdout);
}

std::string published_text(const Rung& rung) {
  if (rung.published == 0) return "";
  return fmt::format("{:.2f}{}", rung.published, rung.fitted ? " fitted" : "");
}

void print_ladder(const simulate::World& world, const simulate::Sample& sample) {
  TextTable table = table_of({"300 queries", "published", "simulated", "usd", "failing", "fixed",
                              "fixes/failing", "children", "hours"});
  for (const Rung& rung : ladder()) {
    const auto traces = run_queries(rung.strategy, world, sample);
    if (traces.empty()) continue;
    const simulate::Figures figures = simulate::figures_of(traces);
    table.add_row({rung.strategy, published_text(rung), score_text(score_at_end(traces)),
                   fmt::format("{:.2f}", figures.usd), part_text(figures.failure_share),
                   part_text(figures.fixed_share), fmt::format("{:.2f}", figures.fixes_per_failure),
                   fmt::format("{:.0f}", figures.candidates),
                   fmt::format("{:.1f}", figures.seconds / 3600)});
  }
  print(table);
}

void print_curve(const simulate::World& world, const simulate::Sample& sample) {
  const auto traces = run_queries("pike-b", world, sample);
  std::printf("pike-b over queries:");
  for (const int queries : {10, 25, 50, 100, 150, 200, 300}) {
    std::printf("  %d: %.2f", queries, simulate::score_at_queries(traces, queries).geomean);
  }
  std::printf("\n\n");
}

std::vector<std::string> with_label(const std::string& label, std::span<const Trace> traces) {
  std::vector<std::string> cells{label};
  for (const double usd : k_checkpoints_usd) {
    cells.push_back(score_text(simulate::score_at_usd(traces, usd)));
  }
  return cells;
}

// Every strategy with the same dollars, as many queries as they buy.
void print_equal_dollars(const simulate::World& world, const simulate::Sample& sample,
                         bool with_seed, const std::vector<std::string>& names) {
  std::vector<std::string> titles{with_seed ? "with the free variant" : "without free variants"};
  for (const double usd : k_checkpoints_usd) titles.push_back(fmt::format("${:g}", usd));
  titles.insert(titles.end(), {"spent", "queries", "hours", "price of pike-b's end"});
  TextTable table = table_of(titles);
  const auto champion = run_dollars(k_champion, world, sample, k_budget_usd, with_seed);
  for (const std::string& name : names) {
    const auto traces =
        name == k_champion ? champion : run_dollars(name, world, sample, k_budget_usd, with_seed);
    if (traces.empty()) continue;
    const simulate::Figures figures = simulate::figures_of(traces);
    auto cells = with_label(name, traces);
    cells.push_back(fmt::format("{:.2f}", figures.usd));
    cells.push_back(fmt::format("{:.0f}", figures.queries));
    cells.push_back(fmt::format("{:.1f}", figures.seconds / 3600));
    cells.push_back(price_text(simulate::relative_price(traces, champion)));
    table.add_row(cells);
  }
  print(table);
}

}  // namespace

int simulate_ladder(const Arguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  const simulate::World world;
  const auto sample = sample_of(arguments);
  std::printf("%d runs a strategy, one task each; geometric means, 95 %% intervals\n\n",
              sample.runs);
  std::vector<std::string> names;
  for (const auto& argument : arguments.tasks) names.push_back(argument.string());
  if (names.empty()) {
    print_ladder(world, sample);
    print_curve(world, sample);
    names = contestants();
  }
  print_equal_dollars(world, sample, false, names);
  print_equal_dollars(world, sample, true, names);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("took %.0f s\n", took.count());
  return 0;
}

}  // namespace cupel::bench
