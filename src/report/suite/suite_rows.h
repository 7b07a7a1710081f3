// The rows and curves of a suite's report. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "report/suite/suite_report.h"

namespace cupel::report {

SuiteRow suite_row(const SuiteEntry& entry);

// "free" for a seed, "yours" for a user's file, else "bought": written by an agent, or tuned from
// what one wrote.
std::string_view origin_of(const Proposal& proposal);

// The best ratio over eager of the programs judged `faster` so far, over what was spent.
struct Progression {
  struct Step {
    double usd = 0;
    std::int64_t queries = 0;
    double best = 1;
  };
  double free = 1;          // the best of what cost nothing, where every curve starts
  std::vector<Step> steps;  // each a new best, beyond that
  double usd = 0;           // spent in all
  std::int64_t queries = 0;
};

// What bought no candidate (ideas, analyses) counts from the start: nothing looks cheaper than it
// was.
Progression progression_of(const SuiteEntry& entry);

// Geometric means at even steps up to the most that an entry spent; a single point where nothing
// was spent.
std::vector<CurvePoint> curve_over_cost(std::span<const Progression> all);
std::vector<CurvePoint> curve_over_queries(std::span<const Progression> all);

}  // namespace cupel::report
