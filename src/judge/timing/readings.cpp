#include "judge/timing/readings.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "judge/timing/limits.h"
#include "stats/quantile.h"

namespace cupel::judge {
namespace {

struct Pair {
  const CallSample* over;
  const CallSample* candidate;
  std::int64_t block = 0;
};

using Calls = std::vector<CallSample> ProgramEvidence::*;

bool contains(std::span<const std::int64_t> sorted, std::int64_t value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

std::vector<Pair> common_pairs(const TimedProgram& candidate, const TimedProgram& over,
                               Calls which) {
  std::map<std::int64_t, const CallSample*> by_input;
  for (const CallSample& call : over.program.*which) by_input.emplace(call.input, &call);
  std::map<std::int64_t, Pair> common;
  for (const CallSample& call : candidate.program.*which) {
    const auto twin = by_input.find(call.input);
    if (twin != by_input.end()) common.emplace(call.input, Pair{twin->second, &call, 0});
  }
  std::vector<Pair> pairs;
  for (auto& [input, pair] : common) {
    pair.block = (input - common.begin()->first) / 2;
    const bool passed = contains(candidate.passed, input) && contains(over.passed, input);
    if (passed || which == &ProgramEvidence::untimed) pairs.push_back(pair);
  }
  return pairs;
}

// `ns_of`: a call's time, of which there is at least one nanosecond.
std::vector<stats::PairedTime> paired(const std::vector<Pair>& pairs,
                                      const std::function<std::int64_t(const CallSample&)>& ns_of) {
  const auto ns = [&ns_of](const CallSample& call) {
    return std::max(1.0, static_cast<double>(ns_of(call)));
  };
  std::vector<stats::PairedTime> times;
  times.reserve(pairs.size());
  for (const Pair& pair : pairs) {
    times.push_back({ns(*pair.over), ns(*pair.candidate), pair.block, pair.over->round});
  }
  return times;
}

std::vector<stats::PairedTime> times_of(const std::vector<Pair>& pairs,
                                        std::int64_t CallSample::*time) {
  return paired(pairs, [time](const CallSample& call) { return call.*time; });
}

// Of warm calls: without what the exchange costs.
std::vector<stats::PairedTime> warm_times_of(const std::vector<Pair>& pairs,
                                             std::span<const std::int64_t> exchanges_ns) {
  return paired(pairs, [exchanges_ns](const CallSample& call) {
    const auto round = static_cast<std::size_t>(call.round);
    return call.bracket_ns - (round < exchanges_ns.size() ? exchanges_ns[round] : 0);
  });
}

double slowest_of(std::span<const std::int64_t> exchanges_ns) {
  const auto slowest = std::max_element(exchanges_ns.begin(), exchanges_ns.end());
  return slowest == exchanges_ns.end() ? 0 : static_cast<double>(*slowest);
}

// Of the exchange, which a quicker host of another making could have for nothing, and the time in
// which it could see an input arrive.
double hidden_ns_of(const std::vector<Pair>& pairs, std::span<const std::int64_t> exchanges_ns) {
  std::vector<double> seen_ns;
  for (const Pair& pair : pairs) seen_ns.push_back(static_cast<double>(pair.candidate->seen_ns));
  return stats::median(seen_ns) + slowest_of(exchanges_ns);
}

// Takes those pairs out whose hosts stood still until the input was there, if there are others.
std::vector<Pair> take_still(std::vector<Pair>& pairs) {
  const auto running = [](const Pair& pair) { return pair.candidate->seen_ns > 0; };
  std::vector<Pair> still;
  if (std::ranges::none_of(pairs, running)) return still;
  std::ranges::copy_if(pairs, std::back_inserter(still), std::not_fn(running));
  std::erase_if(pairs, std::not_fn(running));
  return still;
}

std::vector<double> side_of(std::span<const stats::PairedTime> times,
                            double stats::PairedTime::*side) {
  std::vector<double> values;
  for (const stats::PairedTime& time : times) values.push_back(time.*side);
  return values;
}

double mean_of(std::span<const stats::PairedTime> pairs, double stats::PairedTime::*side) {
  return stats::mean(side_of(pairs, side));
}

stats::PairedRatio of_calls(stats::PairedRatio ratio, double bracket_ns, double call_ns) {
  ratio.ratio = ratio_of_calls(ratio.ratio, bracket_ns, call_ns);
  for (stats::Interval* interval :
       {&ratio.within_95, &ratio.total_95, &ratio.total_99, &ratio.total_999}) {
    interval->low = ratio_of_calls(interval->low, bracket_ns, call_ns);
    interval->high = ratio_of_calls(interval->high, bracket_ns, call_ns);
  }
  return ratio;
}

// Resampled pair by pair, so that calls which come once in a while are drawn or not: their sum
// tells only where there are several of them.
void each_its_own_block(std::vector<stats::PairedTime>& times) {
  for (std::size_t i = 0; i < times.size(); ++i) times[i].block = static_cast<std::int64_t>(i);
}

std::optional<stats::PairedRatio> sum_of_calls(const std::vector<Pair>& timed,
                                               const std::vector<Pair>& untimed, double claimed) {
  auto pairs = timed;
  pairs.insert(pairs.end(), untimed.begin(), untimed.end());
  auto times = times_of(pairs, &CallSample::bracket_ns);
  each_its_own_block(times);
  const double bracket_ns = mean_of(times, &stats::PairedTime::baseline_ns);
  const double call_ns =
      mean_of(times_of(pairs, &CallSample::claim_ns), &stats::PairedTime::baseline_ns);
  const double plain = bracket_ns / mean_of(times, &stats::PairedTime::candidate_ns);
  if (ratio_of_calls(plain, bracket_ns, call_ns) * k_sum_factor >= claimed) return std::nullopt;
  return of_calls(stats::paired_mean_ratio(times, k_bootstrap_seed), bracket_ns, call_ns);
}

// A row's first calls, and those of hosts that stood still, are cold for everybody: of the
// candidate's only that counts which is beyond what the other program's take longer than its usual
// call. Work put off to them stays.
std::vector<stats::PairedTime> put_off(const std::vector<Pair>& cold,
                                       std::span<const std::int64_t> exchanges_ns, double over_ns) {
  auto times = warm_times_of(cold, exchanges_ns);
  for (stats::PairedTime& time : times) {
    time.candidate_ns = std::max(1.0, time.candidate_ns - (time.baseline_ns - over_ns));
    time.baseline_ns = over_ns;
  }
  return times;
}

std::optional<stats::PairedRatio> sum_of_warm(const std::vector<Pair>& timed,
                                              const std::vector<Pair>& cold,
                                              std::span<const std::int64_t> exchanges_ns,
                                              const Readings& readings) {
  auto times = warm_times_of(timed, exchanges_ns);
  const auto others = put_off(cold, exchanges_ns, readings.over_ns);
  times.insert(times.end(), others.begin(), others.end());
  each_its_own_block(times);
  const double plain = mean_of(times, &stats::PairedTime::baseline_ns) /
                       mean_of(times, &stats::PairedTime::candidate_ns);
  if (plain * k_sum_factor >= readings.seen.ratio) return std::nullopt;
  return stats::paired_mean_ratio(times, k_bootstrap_seed);
}

Readings read_claims_of(const std::vector<Pair>& pairs) {
  Readings readings;
  const auto claims = times_of(pairs, &CallSample::claim_ns);
  readings.claimed = stats::paired_ratio(claims);
  if (pairs.empty()) return readings;
  readings.candidate_ns = median_of(claims, &stats::PairedTime::candidate_ns);
  readings.over_ns = median_of(claims, &stats::PairedTime::baseline_ns);
  return readings;
}

}  // namespace

TimedProgram timed(const Evidence& evidence, const ProgramEvidence& program,
                   std::span<const std::int64_t> passed) {
  return {program, passed, evidence.exchanges_ns, evidence.still_exchanges_ns};
}

double ratio_of_calls(double of_brackets, double bracket_ns, double call_ns) {
  constexpr double k_least_share = 1e-6;  // noise may show a gain of more than all of the time
  const double gained_ns = bracket_ns * (1 - 1 / of_brackets);
  return call_ns / std::max(call_ns - gained_ns, k_least_share * call_ns);
}

std::vector<stats::PairedTime> warm_rows(const TimedProgram& candidate, const TimedProgram& over) {
  auto pairs = common_pairs(candidate, over, &ProgramEvidence::calls);
  take_still(pairs);
  std::map<std::pair<int, std::int64_t>, std::vector<Pair>> rows;
  for (const Pair& pair : pairs) {
    rows[{pair.candidate->round, pair.candidate->order}].push_back(pair);
  }
  std::vector<stats::PairedTime> times;
  for (const auto& [place, row] : rows) {
    const auto calls = warm_times_of(row, over.exchanges_ns);
    times.push_back({mean_of(calls, &stats::PairedTime::baseline_ns),
                     mean_of(calls, &stats::PairedTime::candidate_ns),
                     static_cast<std::int64_t>(times.size()), place.first});
  }
  return times;
}

double median_of(std::span<const stats::PairedTime> pairs, double stats::PairedTime::*side) {
  return stats::median(side_of(pairs, side));
}

Ratio make_ratio(std::string over, std::string over_id, const stats::PairedRatio& paired,
                 double candidate_ns, double over_ns) {
  Ratio ratio;
  ratio.over = std::move(over);
  ratio.over_id = std::move(over_id);
  ratio.ratio = paired.ratio;
  ratio.low = paired.total_95.low;
  ratio.high = paired.total_95.high;
  ratio.candidate_ms = candidate_ns / k_ns_per_ms;
  ratio.over_ms = over_ns / k_ns_per_ms;
  ratio.pairs = paired.pairs;
  return ratio;
}

double median_claim_ns(const ProgramEvidence& program) {
  std::vector<double> claims;
  for (const CallSample& call : program.calls) claims.push_back(static_cast<double>(call.claim_ns));
  return claims.empty() ? 0 : stats::median(claims);
}

Readings read_claims(const TimedProgram& candidate, const TimedProgram& over) {
  return read_claims_of(common_pairs(candidate, over, &ProgramEvidence::calls));
}

Readings read_clocks(const TimedProgram& candidate, const TimedProgram& over) {
  const auto pairs = common_pairs(candidate, over, &ProgramEvidence::calls);
  Readings readings = read_claims_of(pairs);
  const auto brackets = times_of(pairs, &CallSample::bracket_ns);
  readings.brackets = readings.seen = stats::paired_ratio(brackets);
  if (pairs.empty()) return readings;
  readings.over_bracket_ns = median_of(brackets, &stats::PairedTime::baseline_ns);
  readings.seen = of_calls(readings.brackets, readings.over_bracket_ns, readings.over_ns);
  const auto untimed = common_pairs(candidate, over, &ProgramEvidence::untimed);
  readings.summed = sum_of_calls(pairs, untimed, readings.claimed.ratio);
  return readings;
}

Readings read_warm(const TimedProgram& candidate, const TimedProgram& over) {
  auto pairs = common_pairs(candidate, over, &ProgramEvidence::calls);
  auto cold = take_still(pairs);
  Readings readings = read_claims_of(pairs);
  readings.warm = true;
  const auto times = warm_times_of(pairs, over.exchanges_ns);
  readings.brackets = readings.seen = stats::paired_ratio(times);
  if (pairs.empty()) return readings;
  readings.candidate_ns = median_of(times, &stats::PairedTime::candidate_ns);
  readings.over_ns = readings.over_bracket_ns = median_of(times, &stats::PairedTime::baseline_ns);
  readings.hidden_ns = hidden_ns_of(pairs, over.exchanges_ns);
  if (!cold.empty()) {
    const auto still = warm_times_of(cold, over.exchanges_ns);
    readings.still = stats::paired_ratio(still);
    readings.over_still_ns = median_of(still, &stats::PairedTime::baseline_ns);
    readings.hidden_ns = slowest_of(over.still_exchanges_ns);
  }
  const auto untimed = common_pairs(candidate, over, &ProgramEvidence::untimed);
  cold.insert(cold.end(), untimed.begin(), untimed.end());
  readings.summed = sum_of_warm(pairs, cold, over.exchanges_ns, readings);
  return readings;
}

}  // namespace cupel::judge
