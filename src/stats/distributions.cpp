#include "stats/distributions.h"

#include <cmath>
#include <numbers>

#include "base/result.h"

namespace cupel::stats {
namespace {

constexpr int k_bisections = 80;  // halves an interval below the last bit of a double

template <class Increasing>
double bisect(double low, double high, double target, Increasing function) {
  for (int step = 0; step < k_bisections; ++step) {
    const double middle = 0.5 * (low + high);
    (function(middle) < target ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// P(|T| <= t) for Student's t as a finite sum over powers of cos(theta), theta = atan(t/sqrt(v));
// Abramowitz and Stegun 26.7.3 (odd v) and 26.7.4 (even v).
double student_two_sided_probability(double theta, std::int64_t degrees) {
  const bool odd = degrees % 2 == 1;
  const double cosine = std::cos(theta);
  double term = odd ? cosine : 1.0;
  double sum = degrees == 1 ? 0.0 : term;
  for (std::int64_t power = odd ? 3 : 2; power <= degrees - 2; power += 2) {
    const double p = static_cast<double>(power);
    term *= cosine * cosine * (p - 1) / p;
    sum += term;
  }
  const double body = std::sin(theta) * sum;
  return odd ? 2 / std::numbers::pi * (theta + body) : body;
}

}  // namespace

double student_two_sided_quantile(double confidence, std::int64_t degrees) {
  CUPEL_CHECK(confidence > 0 && confidence < 1 && degrees >= 1);
  const double theta = bisect(0, std::numbers::pi / 2, confidence, [degrees](double angle) {
    return student_two_sided_probability(angle, degrees);
  });
  return std::tan(theta) * std::sqrt(static_cast<double>(degrees));
}

std::int64_t median_rank(std::int64_t n, double tail, double* lost) {
  double log_mass = -static_cast<double>(n) * std::numbers::ln2;
  double below = 0;
  std::int64_t rank = 0;
  for (; rank < n / 2; ++rank) {
    const double with_this = below + std::exp(log_mass);
    if (with_this > tail) break;
    below = with_this;
    log_mass += std::log(static_cast<double>(n - rank) / static_cast<double>(rank + 1));
  }
  if (lost != nullptr) *lost = below;
  return rank;
}

}  // namespace cupel::stats
