#include "search/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/exchange.h"
#include "search/allowance.h"
#include "search/standing.h"

namespace cupel::search {
namespace {

double price(Currency currency, bool charged, std::int64_t nano_usd) {
  if (currency == Currency::queries) return charged ? 1 : 0;
  return static_cast<double>(nano_usd) / static_cast<double>(k_nano_usd_per_usd);
}

double best_free(const History& history) {
  double best = 1;
  for (const Judged& entry : history.judged) {
    const bool free = !asks_agent(entry.proposal.kind) && is_correct(entry.verdict.outcome);
    if (free) best = std::max(best, speed_of(entry));
  }
  return best;
}

// The sums of the likelihood: of gains, and of gains times the log of how long ago they were.
struct Gains {
  double total = 0;
  double aged = 0;
  int count = 0;
};

Gains gains_of(std::span<const CurvePoint> curve) {
  Gains gains;
  const double spent = curve.back().spent;
  for (std::size_t i = 0; i + 1 < curve.size(); ++i) {
    const CurvePoint& point = curve[i + 1];
    const double gain = std::log(point.best / curve[i].best);
    if (gain <= 0 || point.spent <= 0) continue;
    gains.total += gain;
    gains.aged += gain * std::log(spent / point.spent);
    ++gains.count;
  }
  return gains;
}

}  // namespace

std::vector<CurvePoint> curve_of(const History& history, Currency currency) {
  std::vector<CurvePoint> curve{{0, best_free(history)}};
  auto answered = history.answered.begin();
  for (const Judged& entry : history.judged) {
    if (!asks_agent(entry.proposal.kind)) continue;
    CurvePoint point = curve.back();
    // Text answers have no verdict: they are paid before the first verdict on a later proposal.
    for (;
         answered != history.answered.end() && is_earlier(answered->proposal.id, entry.proposal.id);
         ++answered) {
      point.spent += price(currency, answered->proposal.charged, answered->nano_usd);
    }
    point.spent += price(currency, entry.proposal.charged, entry.nano_usd);
    if (is_correct(entry.verdict.outcome)) point.best = std::max(point.best, speed_of(entry));
    curve.push_back(point);
  }
  return curve;
}

double expected_log_gain(std::span<const CurvePoint> curve, double more) {
  if (curve.empty() || curve.back().spent <= 0) return std::numeric_limits<double>::infinity();
  const Gains gains = gains_of(curve);
  const double invented = gains.count > 0 ? gains.total / gains.count : k_prior_log_gain;
  const double total = gains.total + invented;
  const double exponent = std::min(1.0, total / (gains.aged + invented));
  return total * std::expm1(exponent * std::log1p(more / curve.back().spent));
}

std::string stop_by_value(const History& history, const StopRule& rule) {
  if (rule.log_gain_per_usd_min <= 0 || queries_made(history) < rule.queries_min) return "";
  const std::vector<CurvePoint> curve = curve_of(history, Currency::usd);
  const double gain = expected_log_gain(curve, 1);
  if (gain >= rule.log_gain_per_usd_min) return "";
  return fmt::format(
      "the next dollar is expected to gain {:.2f} %, less than {:.2f} %: {:.2f} usd brought "
      "{:.2f}x to {:.2f}x",
      100 * std::expm1(gain), 100 * std::expm1(rule.log_gain_per_usd_min), curve.back().spent,
      curve.front().best, curve.back().best);
}

}  // namespace cupel::search
