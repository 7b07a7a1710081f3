// The rows and curves of a suite's report. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "report/suite_report.h"

namespace cupel::report {

SuiteRow suite_row(const SuiteEntry& entry);

// The best ratio over eager so far, verdict by verdict, over what was spent.
struct Progression {
  struct Step {
    double usd = 0;
    std::int64_t queries = 0;
    double best = 1;
  };
  std::vector<Step> steps;  // each a new best
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
