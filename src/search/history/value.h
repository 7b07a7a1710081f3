// What the next dollar is worth, from a run's own curve of best ratio over money. Pure.
//
// Model: the logarithm of the best ratio grows as a power of what was spent,
// W(c) = A c^b with 0 < b <= 1. Gains come as records of the search do: rarely, and more rarely
// the longer it lasts. Taking each gain in log ratio as so many events of a Poisson process whose
// rate is W'(c), which is the power-law process that reliability growth is judged by (Duane 1964;
// Crow 1974), the likelihood of gains w_i at costs c_i within (0, C] is largest at
//     b = sum w_i / sum (w_i ln(C / c_i)),   A C^b = sum w_i,
// so that a further `d` is worth  sum w_i ((1 + d/C)^b - 1),  near  b/C sum w_i  per dollar.
// The exponent needs no fit of a curve to noisy points, and falls by itself while nothing is
// gained. One invented gain of average size, placed where b would be 1, keeps the estimate
// finite and hopeful while there are few real ones; b is held at 1 or below, since searches
// flatten out.
//
// What is free is a bar that agents' programs trail at first, and while they do the curve of the
// run is flat. So there are two curves: that of the run, which begins at the bar, and the climb of
// the programs that were written from the task, whatever is free. Where the climb's end trails by
// `gap`, a further `d` gains what it climbs beyond that: taken as exponential around its
// expectation m, m exp(-gap / m) are expected.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "search/step/strategy.h"

namespace cupel::search {

// After a verdict: what was spent, and the best ratio over the baseline.
struct CurvePoint {
  double spent = 0;  // dollars or queries, cumulative
  double best = 1;   // never below 1
};

enum class Currency { usd, queries };

// One point a verdict on what an agent wrote, in their order, and one a tuning that gained. The
// best free program counts from the beginning, whenever it was judged: no money bought it.
std::vector<CurvePoint> curve_of(const History& history, Currency currency);
// The same of programs that do not descend from a free one, from a ratio of 1 on.
std::vector<CurvePoint> climb_of(const History& history, Currency currency);

// Expected gain of spending `more` > 0 on, as a logarithm of the ratio (0.01: one per cent).
// Infinite where nothing was spent yet.
double expected_log_gain(std::span<const CurvePoint> curve, double more);

// The most that a dollar is expected to gain beyond a ratio of `bar`, in log ratio, over horizons
// of 1, 2, 4, ... 64 dollars: a bar that is far takes several before the first pays.
double gain_of_a_dollar(std::span<const CurvePoint> curve, double bar);

// Gain that is supposed of a search that has gained nothing yet: ten per cent.
inline constexpr double k_prior_log_gain = 0.0953;

// A stop by value, for the engine and for strategies that have one of their own.
struct StopRule {
  double log_gain_per_usd_min = 0;  // 0: never
  std::int64_t queries_min = 50;    // charged replies before it may stop
};
// One sentence with the numbers where the next dollar is worth less than the rule asks; empty
// where the search should go on. A run whose replies cost nothing never stops by value.
std::string stop_by_value(const History& history, const StopRule& rule);

}  // namespace cupel::search
