#include "stats/slope.h"

#include <cmath>
#include <vector>

#include "stats/quantile.h"

namespace cupel::stats {
namespace {

std::vector<double> pair_slopes(std::span<const Point> points) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const double run = points[j].x - points[i].x;
      if (run != 0) slopes.push_back((points[j].y - points[i].y) / run);
    }
  }
  return slopes;
}

double slope_error(std::span<const Point> points, double slope) {
  std::vector<double> residuals, positions;
  for (const Point& point : points) {
    residuals.push_back(point.y - slope * point.x);
    positions.push_back(point.x);
  }
  const double centre = mean(positions);
  double spread = 0;
  for (const double x : positions) spread += (x - centre) * (x - centre);
  return mad_sigma(residuals) / std::sqrt(spread);
}

}  // namespace

std::optional<Slope> theil_sen(std::span<const Point> points) {
  if (points.size() < 3) return std::nullopt;
  const std::vector<double> slopes = pair_slopes(points);
  if (slopes.empty()) return std::nullopt;
  const double slope = median(slopes);
  return Slope{slope, slope_error(points, slope)};
}

}  // namespace cupel::stats
