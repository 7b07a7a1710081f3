#include "search/history/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "model/exchange.h"
#include "search/history/branches.h"
#include "search/history/lineage.h"
#include "search/step/allowance.h"
#include "search/winning/standing.h"

namespace cupel::search {
namespace {

constexpr double k_horizon_usd_max = 64;

double price(Currency currency, bool charged, std::int64_t nano_usd) {
  if (currency == Currency::queries) return charged ? 1 : 0;
  return usd_of(nano_usd);
}

// Changing a number costs nothing, so one that gains nothing is no news.
bool is_vain_tuning(const Judged& entry, double best) {
  const bool gains = is_correct(entry.verdict.outcome) && speed_of(entry) > best;
  return entry.proposal.kind == Proposal::Kind::tune && !gains;
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

double best_free(const History& history) {
  double best = 1;
  for (const Judged& entry : history.judged) {
    const bool counts = is_free(entry.proposal) && is_correct(entry.verdict.outcome);
    if (counts) best = std::max(best, speed_of(entry));
  }
  return best;
}

// Text answers have no verdict: they are paid before the first verdict on a later proposal.
std::vector<CurvePoint> curve_from(double start, const History& history, Currency currency,
                                   const std::function<bool(const Judged&)>& counts) {
  std::vector<CurvePoint> curve{{0, start}};
  auto answered = history.answered.begin();
  for (const Judged& entry : history.judged) {
    if (is_free(entry.proposal) || is_vain_tuning(entry, curve.back().best)) continue;
    CurvePoint point = curve.back();
    for (;
         answered != history.answered.end() && is_earlier(answered->proposal.id, entry.proposal.id);
         ++answered) {
      point.spent += price(currency, answered->proposal.charged, answered->nano_usd);
    }
    point.spent += price(currency, entry.proposal.charged, entry.nano_usd);
    const bool correct = is_correct(entry.verdict.outcome);
    if (correct && speed_of(entry) > point.best && counts(entry)) point.best = speed_of(entry);
    curve.push_back(point);
  }
  return curve;
}

}  // namespace

std::vector<CurvePoint> curve_of(const History& history, Currency currency) {
  return curve_from(best_free(history), history, currency, [](const Judged&) { return true; });
}

std::vector<CurvePoint> climb_of(const History& history, Currency currency) {
  const Branches branches(history);
  const Lineage lineage(history, branches);
  return curve_from(1, history, currency, [&](const Judged& entry) {
    const auto place = lineage.find(entry.candidate.id);
    return place && !is_free(lineage.all()[lineage.all()[*place].line].judged->proposal);
  });
}

double expected_log_gain(std::span<const CurvePoint> curve, double more) {
  if (curve.empty() || curve.back().spent <= 0) return std::numeric_limits<double>::infinity();
  const Gains gains = gains_of(curve);
  const double invented = gains.count > 0 ? gains.total / gains.count : k_prior_log_gain;
  const double total = gains.total + invented;
  const double exponent = std::min(1.0, total / (gains.aged + invented));
  return total * std::expm1(exponent * std::log1p(more / curve.back().spent));
}

double gain_of_a_dollar(std::span<const CurvePoint> curve, double bar) {
  if (curve.empty()) return std::numeric_limits<double>::infinity();
  const double gap = std::max(0.0, std::log(bar / curve.back().best));
  double most = 0;
  for (double usd = 1; usd <= k_horizon_usd_max; usd *= 2) {
    const double climb = expected_log_gain(curve, usd);
    const double gain = std::isfinite(climb) ? climb * std::exp(-gap / climb) : climb;
    most = std::max(most, gain / usd);
  }
  return most;
}

std::string stop_by_value(const History& history, const StopRule& rule) {
  if (rule.log_gain_per_usd_min <= 0 || queries_made(history) < rule.queries_min) return "";
  const std::vector<CurvePoint> curve = curve_of(history, Currency::usd);
  const double best = curve.back().best;
  double gain = gain_of_a_dollar(curve, best);
  if (gain >= rule.log_gain_per_usd_min) return "";
  gain = std::max(gain, gain_of_a_dollar(climb_of(history, Currency::usd), best));
  if (gain >= rule.log_gain_per_usd_min) return "";
  return fmt::format(
      "the next dollar is expected to gain {:.2f} %, less than {:.2f} %: {:.2f} usd brought "
      "{:.2f}x to {:.2f}x",
      100 * std::expm1(gain), 100 * std::expm1(rule.log_gain_per_usd_min), curve.back().spent,
      curve.front().best, best);
}

}  // namespace cupel::search
