// A robust straight line. Pure and thread-safe.
#pragma once

#include <optional>
#include <span>

namespace cupel::stats {

struct Point {
  double x = 0;
  double y = 0;
};

struct Slope {
  double slope = 0;  // y per x
  double error = 0;  // one standard error of the slope, from the residuals' MAD
};

// Theil-Sen: the median slope over all pairs of points with different x. Up to 29 % of the points
// may be anything. Nothing if there are fewer than three points or all x are equal.
std::optional<Slope> theil_sen(std::span<const Point> points);

}  // namespace cupel::stats
