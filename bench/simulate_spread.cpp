// How the comparison of strategies depends on what was assumed about tasks and models.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "report/words/text_table.h"
#include "simulated_ladder.h"

namespace cupel::bench {
namespace {

using report::Column;
using report::TextTable;
using simulate::World;

constexpr double k_budget_usd = 25;
constexpr int k_runs = 300;  // enough to tell differences of a tenth

struct Variation {
  std::string name;
  std::function<void(World&)> apply;
};

std::vector<Variation> variations() {
  return {
      {"as fitted", [](World&) {}},
      {"half the gains", [](World& w) { w.landscape.gain_scale /= 2; }},
      {"gains times 1.5", [](World& w) { w.landscape.gain_scale *= 1.5; }},
      {"1 approach", [](World& w) { w.landscape.approaches = 1; }},
      {"3 approaches", [](World& w) { w.landscape.approaches = 3; }},
      {"12 approaches", [](World& w) { w.landscape.approaches = 12; }},
      {"3 ideas each", [](World& w) { w.landscape.ideas = 3; }},
      {"18 ideas each", [](World& w) { w.landscape.ideas = 18; }},
      {"equal approaches", [](World& w) { w.landscape.approach_sigma = 0.01; }},
      {"unequal approaches", [](World& w) { w.landscape.approach_sigma = 0.8; }},
      {"lighter tails of ideas", [](World& w) { w.landscape.idea_sigma = 0.75; }},
      {"heavier tails of ideas", [](World& w) { w.landscape.idea_sigma = 2; }},
      {"no duds", [](World& w) { w.landscape.dud_share = 0; }},
      {"half are duds", [](World& w) { w.landscape.dud_share = 0.5; }},
      {"all ideas equally salient", [](World& w) { w.landscape.salience_exponent = 0; }},
      {"few ideas come to mind", [](World& w) { w.landscape.salience_exponent = 2; }},
      {"a quarter fails", [](World& w) { w.landscape.failure_odds = 0.33; }},
      {"three quarters fail", [](World& w) { w.landscape.failure_odds = 3; }},
      {"gain and failure unrelated", [](World& w) { w.landscape.failure_slope = 0; }},
      {"what gains much fails mostly", [](World& w) { w.landscape.failure_slope = 1.5; }},
      {"noise of 5 %", [](World& w) { w.noise_sigma = 0.05; }},
      {"fixing half as good",
       [](World& w) {
         w.author.fix_strong /= 2;
         w.author.fix_cheap /= 2;
       }},
      {"inspirations are ignored", [](World& w) { w.author.borrow = 0; }},
      {"what the cheap model writes is as good", [](World& w) { w.author.cheap_quality = 1; }},
      {"... is a third as good", [](World& w) { w.author.cheap_quality = 0.33; }},
      {"no number is marked", [](World& w) { w.author.marked = 0; }},
      {"cheap replies cost 1/16",
       [](World& w) {
         w.calls.cheap_prompt_price /= 4;
         w.calls.cheap_reply_price /= 4;
       }},
  };
}

// Geometric mean at the end; for the last column cupel's price of pike-b's end.
std::vector<std::string> row_of(const Variation& variation, const simulate::Sample& sample) {
  World world;
  variation.apply(world);
  std::vector<std::string> cells{variation.name};
  std::vector<simulate::Trace> champion;
  std::vector<simulate::Trace> last;
  for (const std::string& name : contestants()) {
    last = run_dollars(name, world, sample, k_budget_usd, false);
    if (champion.empty()) champion = last;
    cells.push_back(last.empty() ? "" : fmt::format("{:.2f}", score_at_end(last).geomean));
  }
  if (last.empty()) return cells;
  const double price = simulate::relative_price(last, champion).usd;
  cells.push_back(std::isfinite(price) ? fmt::format("{:.0f} %", 100 * price) : "never");
  return cells;
}

}  // namespace

int simulate_spread(const Arguments& arguments) {
  simulate::Sample sample = sample_of(arguments);
  if (arguments.repeat <= 1) sample.runs = k_runs;
  std::vector<Column> columns{{"at $25", Column::Align::left, false}};
  for (const std::string& name : contestants()) {
    columns.push_back({name, Column::Align::right, false});
  }
  columns.push_back({"cupel's price of pike-b", Column::Align::right, false});
  TextTable table(columns);
  for (const Variation& variation : variations()) table.add_row(row_of(variation, sample));
  std::printf("%d runs each\n\n%s", sample.runs, table.str({false, 220}).c_str());
  return 0;
}

}  // namespace cupel::bench
