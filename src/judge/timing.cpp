#include "judge/timing.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/clock.h"
#include "judge/limits.h"
#include "stats/quantile.h"

namespace cupel::judge {
namespace {

struct Pair {
  ChargedCall over;
  ChargedCall candidate;
  std::int64_t block = 0;
};

bool contains(std::span<const std::int64_t> sorted, std::int64_t value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

// Of the other program's time: where brackets are noise, they may show a gain of more than all of
// it.
constexpr double k_shown_time_least = 1e-6;

using Calls = std::vector<ChargedCall> TimedProgram::*;

std::vector<Pair> common_pairs(const TimedProgram& candidate, const TimedProgram& over,
                               Calls which) {
  std::map<std::int64_t, ChargedCall> by_input;
  for (const ChargedCall& call : over.*which) by_input.emplace(call.input, call);
  std::map<std::int64_t, Pair> common;
  for (const ChargedCall& call : candidate.*which) {
    const auto twin = by_input.find(call.input);
    if (twin != by_input.end()) common.emplace(call.input, Pair{twin->second, call, 0});
  }
  std::vector<Pair> pairs;
  for (auto& [input, pair] : common) {
    pair.block = (input - common.begin()->first) / 2;
    const bool trusted = contains(candidate.trusted, input) && contains(over.trusted, input);
    if (trusted || which == &TimedProgram::repeats) pairs.push_back(pair);
  }
  return pairs;
}

template <class Time>  // double(const ChargedCall&)
std::vector<stats::PairedTime> times_of(const std::vector<Pair>& pairs, Time time) {
  std::vector<stats::PairedTime> times;
  times.reserve(pairs.size());
  for (const Pair& pair : pairs)
    times.push_back({time(pair.over), time(pair.candidate), pair.block, pair.over.round});
  return times;
}

std::vector<double> side(std::span<const stats::PairedTime> times,
                         double stats::PairedTime::*which) {
  std::vector<double> values;
  for (const stats::PairedTime& time : times) values.push_back(time.*which);
  return values;
}

// One hiccup of the machine proves nothing: the worst call of each side goes, with its pair.
std::vector<stats::PairedTime> without_worst(std::vector<stats::PairedTime> times) {
  for (const auto which : {&stats::PairedTime::baseline_ns, &stats::PairedTime::candidate_ns}) {
    times.erase(std::max_element(
        times.begin(), times.end(),
        [which](const auto& left, const auto& right) { return left.*which < right.*which; }));
  }
  return times;
}

double mean_over_median(const std::vector<double>& values) {
  return stats::mean(values) / stats::median(values);
}

double mean_less_median(const std::vector<double>& values) {
  return std::max(1.0, stats::mean(values) - stats::median(values));
}

// By the factor, and by `excess_ns` beyond the median.
std::int64_t slow_calls(const std::vector<double>& values, double excess_ns = 0) {
  const double median = stats::median(values);
  const double slow_ns = std::max(k_slow_call_factor * median, median + excess_ns);
  return std::count_if(values.begin(), values.end(), [&](double value) { return value > slow_ns; });
}

// What a call must lose to be a counterpart of these slow ones: some microseconds of the other
// program's do not excuse milliseconds.
double counterpart_ns(std::vector<double> values) {
  const double median = stats::median(values);
  const auto least = values.begin() + (k_slow_calls_min - 1);
  std::nth_element(values.begin(), least, values.end(), std::greater<>());
  return k_slow_counterpart * (*least - median);
}

// Calls much slower than the median one that come again and again. The machine's hiccups are few,
// or the other program has them too.
bool slow_calls_recur(const std::vector<double>& values, const std::vector<double>& others) {
  const auto slow = slow_calls(values);
  if (slow < k_slow_calls_min) return false;
  const bool many =
      static_cast<double>(slow) >= k_slow_calls_share * static_cast<double>(values.size());
  return many || slow >= k_slow_calls_factor * (1 + slow_calls(others, counterpart_ns(values)));
}

void charge_mean(Comparison& comparison, const std::vector<stats::PairedTime>& times) {
  if (times.size() < k_mean_calls_min) return;
  auto kept = without_worst(times);
  const auto mine = side(kept, &stats::PairedTime::candidate_ns);
  const auto others = side(kept, &stats::PairedTime::baseline_ns);
  comparison.mean_factor = mean_over_median(mine) / mean_over_median(others);
  comparison.excess_factor = mean_less_median(mine) / mean_less_median(others);
  comparison.mean_charged =
      comparison.mean_factor > k_mean_factor_charged && slow_calls_recur(mine, others);
  if (!comparison.mean_charged) return;
  // Blocks that lost a call to the dropping are still worth a pair each: resample pairs.
  for (std::size_t index = 0; index < kept.size(); ++index) {
    kept[index].block = static_cast<std::int64_t>(index);
  }
  comparison.charged = stats::paired_mean_ratio(kept, k_bootstrap_seed);
}

}  // namespace

TimedProgram timed_program(const ProgramEvidence& program, const ClockAudit& audit,
                           std::span<const std::int64_t> trusted) {
  return {charge(program.calls, audit), trusted, charge(program.repeats, audit)};
}

double median_ms(std::span<const stats::PairedTime> pairs, double stats::PairedTime::*which) {
  return stats::median(side(pairs, which)) / k_ns_per_ms;
}

Ratio make_ratio(std::string over, std::string over_id, const stats::PairedRatio& paired,
                 double candidate_ms, double over_ms) {
  return {std::move(over),      std::move(over_id), paired.ratio, paired.total_95.low,
          paired.total_95.high, candidate_ms,       over_ms,      paired.pairs};
}

double Comparison::shown_by(double ratio) const {
  if (over_ms <= 0) return 1;
  const double gained_ms = over_bracket_ms * (1 - 1 / ratio);
  return over_ms / std::max(over_ms - gained_ms, k_shown_time_least * over_ms);
}

double Comparison::strict_ratio() const {
  return std::min(strict.ratio, shown_by(bracketed.ratio));
}

double Comparison::kept_when_strict() const {
  return std::min(1.0, strict_ratio() / median.ratio);
}

double Comparison::sure_when_strict() const {
  return std::min(kept_when_strict() * charged.total_99.low, shown_by(bracketed.total_99.low));
}

Comparison compare(const TimedProgram& candidate, const TimedProgram& over) {
  const auto charged_time = [](const ChargedCall& call) { return call.charged_ns; };
  const std::vector<Pair> pairs = common_pairs(candidate, over, &TimedProgram::calls);
  auto times = times_of(pairs, charged_time);
  const auto brackets = times_of(pairs, [](const ChargedCall& call) { return call.bracket_ns; });
  Comparison comparison;
  comparison.claimed =
      stats::paired_ratio(times_of(pairs, [](const ChargedCall& call) { return call.claim_ns; }));
  comparison.median = stats::paired_ratio(times);
  comparison.strict =
      stats::paired_ratio(times_of(pairs, [](const ChargedCall& call) { return call.strict_ns; }));
  comparison.bracketed = stats::paired_ratio(brackets, 0);
  comparison.charged = comparison.median;
  if (pairs.empty()) return comparison;
  comparison.candidate_ms = median_ms(times, &stats::PairedTime::candidate_ns);
  comparison.over_ms = median_ms(times, &stats::PairedTime::baseline_ns);
  comparison.over_bracket_ms = median_ms(brackets, &stats::PairedTime::baseline_ns);
  const auto repeats =
      times_of(common_pairs(candidate, over, &TimedProgram::repeats), charged_time);
  times.insert(times.end(), repeats.begin(), repeats.end());
  charge_mean(comparison, times);
  return comparison;
}

Outcome decide(const stats::PairedRatio& ratio) {
  if (ratio.blocks < k_blocks_min) return Outcome::ambiguous;
  if (ratio.total_99.low > 1) return Outcome::faster;
  if (ratio.total_99.high < 1) return Outcome::slower;
  const bool same = ratio.total_95.low >= k_same_low && ratio.total_95.high <= k_same_high;
  return same ? Outcome::same : Outcome::ambiguous;
}

}  // namespace cupel::judge
