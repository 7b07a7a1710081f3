#include "judge/timing/readings.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "judge/timing/limits.h"
#include "model/samples.h"
#include "stats/quantile.h"

namespace cupel::judge {
namespace {

constexpr std::size_t k_block_pairs = 2;

struct Pair {
  const CallSample* over;
  const CallSample* candidate;
  std::int64_t block = 0;
};

using Calls = std::vector<CallSample> ProgramEvidence::*;

bool contains(std::span<const std::int64_t> sorted, std::int64_t value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

// Those that both were given, in the order of the inputs.
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
  for (const auto& [input, pair] : common) pairs.push_back(pair);
  return pairs;
}

// No block reaches from one round into the next.
void number_blocks(std::vector<Pair>& pairs) {
  std::int64_t block = -1;
  std::size_t in_block = k_block_pairs;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool other_round = i > 0 && pairs[i].over->round != pairs[i - 1].over->round;
    if (in_block == k_block_pairs || other_round) {
      ++block;
      in_block = 0;
    }
    pairs[i].block = block;
    ++in_block;
  }
}

// The timed calls that were right in both programs.
struct Timed {
  std::vector<Pair> told;   // of a user's inputs, revealed to running hosts
  std::vector<Pair> still;  // of a user's inputs, whose hosts stood still meanwhile
};

// Takes out those that are not `wanted`, unless that would leave none.
std::vector<Pair> take_others(std::vector<Pair>& pairs,
                              const std::function<bool(const Pair&)>& wanted) {
  std::vector<Pair> others;
  if (std::ranges::none_of(pairs, wanted)) return others;
  std::ranges::copy_if(pairs, std::back_inserter(others), std::not_fn(wanted));
  std::erase_if(pairs, std::not_fn(wanted));
  return others;
}

// A task that cannot be relied on for a user's inputs is timed on those that are left.
Timed timed_pairs(const TimedProgram& candidate, const TimedProgram& over) {
  Timed timed{common_pairs(candidate, over, &ProgramEvidence::calls), {}};
  std::erase_if(timed.told, [&](const Pair& pair) {
    const std::int64_t input = pair.candidate->input;
    return !contains(candidate.passed, input) || !contains(over.passed, input);
  });
  // The other classes are there to be right on. How long a program takes for not-a-numbers says
  // nothing about its user's calls (seen: a logarithm of sums, 7 times as long).
  take_others(timed.told,
              [](const Pair& pair) { return is_usual_class(pair.candidate->value_class); });
  timed.still =
      take_others(timed.told, [](const Pair& pair) { return pair.candidate->seen_ns > 0; });
  number_blocks(timed.told);
  number_blocks(timed.still);
  return timed;
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

double exchange_ns_of(const CallSample& call, std::span<const std::int64_t> exchanges_ns) {
  const auto round = static_cast<std::size_t>(call.round);
  return round < exchanges_ns.size() ? static_cast<double>(exchanges_ns[round]) : 0;
}

double slowest_of(std::span<const std::int64_t> exchanges_ns) {
  const auto slowest = std::max_element(exchanges_ns.begin(), exchanges_ns.end());
  return slowest == exchanges_ns.end() ? 0 : static_cast<double>(*slowest);
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

// By how much a program's cold calls take longer than its told ones, in the mean; at most so, where
// both scatter.
double coldness_ns(std::span<const stats::PairedTime> cold, std::span<const stats::PairedTime> told,
                   double stats::PairedTime::*side) {
  const auto squared_error = [side](std::span<const stats::PairedTime> times) {
    const double deviation = stats::standard_deviation(side_of(times, side));
    return deviation * deviation / static_cast<double>(times.size());
  };
  const double error = std::sqrt(squared_error(cold) + squared_error(told));
  const double longer = mean_of(cold, side) - mean_of(told, side);
  return std::max(0.0, longer + k_cold_errors * error);
}

// Calls that do not count, and those of hosts that stood still, are cold for everybody: of the
// candidate's counts what is not the other program's coldness. Work put off to them stays; work
// left out of them, most of which nobody checks, is no gain.
std::vector<stats::PairedTime> put_off(std::vector<stats::PairedTime> cold,
                                       std::span<const stats::PairedTime> told) {
  if (cold.empty()) return cold;
  const double coldness = coldness_ns(cold, told, &stats::PairedTime::baseline_ns);
  const double over_ns = mean_of(told, &stats::PairedTime::baseline_ns);
  for (stats::PairedTime& time : cold) {
    time.candidate_ns = std::max(1.0, time.candidate_ns - coldness);
    time.baseline_ns = over_ns;
  }
  const auto mean_ns = [](std::span<const stats::PairedTime> times) {
    return mean_of(times, &stats::PairedTime::candidate_ns);
  };
  return mean_ns(cold) < mean_ns(told) ? std::vector<stats::PairedTime>() : cold;
}

// Of all told calls and the `cold` ones, as a ratio of calls: where it is less than the median
// call's by more than the factor.
std::optional<stats::PairedRatio> sum_of(std::vector<stats::PairedTime> brackets,
                                         std::vector<stats::PairedTime> cold,
                                         const Readings& readings) {
  const auto others = put_off(std::move(cold), brackets);
  brackets.insert(brackets.end(), others.begin(), others.end());
  each_its_own_block(brackets);
  const double plain = mean_of(brackets, &stats::PairedTime::baseline_ns) /
                       mean_of(brackets, &stats::PairedTime::candidate_ns);
  const double bracket_ns = readings.over_bracket_ns;
  if (ratio_of_calls(plain, bracket_ns, readings.over_ns) * k_sum_factor >= readings.calls.ratio) {
    return std::nullopt;
  }
  return of_calls(stats::paired_mean_ratio(brackets, k_bootstrap_seed), bracket_ns,
                  readings.over_ns);
}

// In microseconds a call takes less than its bracket; as many of a process's moods are in both.
stats::PairedRatio ratio_of_brackets(const std::vector<stats::PairedTime>& brackets,
                                     const Readings& readings) {
  const double share = readings.over_ns / readings.over_bracket_ns;
  return stats::paired_ratio(brackets, stats::k_process_sigma * share);
}

// The median call of one side, of a nanosecond at least.
double median_call_ns(const std::vector<Pair>& pairs, const CallSample* Pair::*side,
                      std::span<const std::int64_t> exchanges_ns) {
  std::vector<double> calls_ns;
  for (const Pair& pair : pairs) {
    const CallSample& call = *(pair.*side);
    calls_ns.push_back(static_cast<double>(call.bracket_ns) - exchange_ns_of(call, exchanges_ns));
  }
  return std::max(1.0, stats::median(calls_ns));
}

Readings read_brackets(const std::vector<Pair>& pairs,
                       const std::vector<stats::PairedTime>& brackets,
                       std::span<const std::int64_t> exchanges_ns) {
  Readings readings;
  readings.candidate_ns = median_call_ns(pairs, &Pair::candidate, exchanges_ns);
  readings.over_ns = median_call_ns(pairs, &Pair::over, exchanges_ns);
  readings.over_bracket_ns = median_of(brackets, &stats::PairedTime::baseline_ns);
  readings.brackets = ratio_of_brackets(brackets, readings);
  readings.calls = of_calls(readings.brackets, readings.over_bracket_ns, readings.over_ns);
  return readings;
}

Readings read_claims(const std::vector<Pair>& pairs,
                     const std::vector<stats::PairedTime>& brackets) {
  Readings readings;
  const auto claims = times_of(pairs, &CallSample::claim_ns);
  readings.candidate_ns = median_of(claims, &stats::PairedTime::candidate_ns);
  readings.over_ns = median_of(claims, &stats::PairedTime::baseline_ns);
  readings.over_bracket_ns = median_of(brackets, &stats::PairedTime::baseline_ns);
  readings.brackets = stats::paired_ratio(brackets);
  readings.calls = stats::paired_ratio(claims);
  readings.seen = of_calls(readings.brackets, readings.over_bracket_ns, readings.over_ns);
  return readings;
}

// A quicker host could have all of an exchange for nothing, and use the time in which it sees an
// input arrive. On a GPU bursts, in which there is no exchange, show a gain besides.
double hidden_ns_of(const Timed& timed, const TimedProgram& over) {
  if (over.on_gpu) return 0;
  if (!timed.still.empty()) return slowest_of(over.still_exchanges_ns);
  std::vector<double> seen_ns;
  for (const Pair& pair : timed.told) {
    seen_ns.push_back(static_cast<double>(pair.candidate->seen_ns));
  }
  return stats::median(seen_ns) + slowest_of(over.exchanges_ns);
}

void read_still(Readings& readings, const std::vector<Pair>& still) {
  if (still.empty()) return;
  const auto times = times_of(still, &CallSample::bracket_ns);
  readings.still = stats::paired_ratio(times);
  readings.over_still_ns = median_of(times, &stats::PairedTime::baseline_ns);
}

// Brackets of calls that are cold for everybody.
std::vector<stats::PairedTime> cold_brackets(const Timed& timed, const TimedProgram& candidate,
                                             const TimedProgram& over) {
  if (over.on_gpu) return {};
  auto cold = common_pairs(candidate, over, &ProgramEvidence::untimed);
  cold.insert(cold.end(), timed.still.begin(), timed.still.end());
  return times_of(cold, &CallSample::bracket_ns);
}

}  // namespace

TimedProgram timed(const Evidence& evidence, const ProgramEvidence& program,
                   std::span<const std::int64_t> passed) {
  return {program, passed, evidence.exchanges_ns, evidence.still_exchanges_ns,
          !evidence.device.empty()};
}

double ratio_of_calls(double of_brackets, double bracket_ns, double call_ns) {
  constexpr double k_least_share = 1e-6;  // noise may show a gain of more than all of the time
  const double gained_ns = bracket_ns * (1 - 1 / of_brackets);
  return call_ns / std::max(call_ns - gained_ns, k_least_share * call_ns);
}

std::vector<stats::PairedTime> warm_rows(const TimedProgram& candidate, const TimedProgram& over) {
  std::map<std::pair<int, std::int64_t>, std::vector<Pair>> rows;
  for (const Pair& pair : timed_pairs(candidate, over).told) {
    rows[{pair.candidate->round, pair.candidate->order}].push_back(pair);
  }
  std::vector<stats::PairedTime> times;
  for (const auto& [place, row] : rows) {
    const auto brackets = times_of(row, &CallSample::bracket_ns);
    const double exchange_ns = exchange_ns_of(*row.front().candidate, over.exchanges_ns);
    const auto mean_call_ns = [&](double stats::PairedTime::*side) {
      return std::max(1.0, mean_of(brackets, side) - exchange_ns);
    };
    times.push_back({mean_call_ns(&stats::PairedTime::baseline_ns),
                     mean_call_ns(&stats::PairedTime::candidate_ns),
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

stats::PairedRatio claimed_ratio(const TimedProgram& candidate, const TimedProgram& over) {
  return stats::paired_ratio(times_of(timed_pairs(candidate, over).told, &CallSample::claim_ns));
}

Readings read(const TimedProgram& candidate, const TimedProgram& over) {
  const Timed timed = timed_pairs(candidate, over);
  if (timed.told.empty()) return {};
  const auto brackets = times_of(timed.told, &CallSample::bracket_ns);
  Readings readings = over.on_gpu ? read_claims(timed.told, brackets)
                                  : read_brackets(timed.told, brackets, over.exchanges_ns);
  readings.hidden_ns = hidden_ns_of(timed, over);
  read_still(readings, timed.still);
  readings.summed = sum_of(brackets, cold_brackets(timed, candidate, over), readings);
  return readings;
}

}  // namespace cupel::judge
