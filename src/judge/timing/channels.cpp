#include "judge/timing/channels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "judge/timing/limits.h"
#include "stats/paired.h"
#include "stats/quantile.h"
#include "stats/slope.h"

namespace cupel::judge {
namespace {

using Batches = std::vector<BatchSample>;

// The counted batches of one pair of processes, round by round.
struct RoundBatches {
  Batches own;
  Batches others;
};

std::vector<RoundBatches> by_round(const ProgramEvidence& program, const ProgramEvidence& over) {
  std::map<int, RoundBatches> rounds;
  for (const BatchSample& batch : program.batches) {
    if (batch.counted) rounds[batch.round].own.push_back(batch);
  }
  for (const BatchSample& batch : over.batches) {
    if (batch.counted) rounds[batch.round].others.push_back(batch);
  }
  std::vector<RoundBatches> told;
  for (auto& [round, batches] : rounds) {
    if (std::min(batches.own.size(), batches.others.size()) < k_batches_min) continue;
    told.push_back(std::move(batches));
  }
  return told;
}

// What a further call adds to a batch.
std::optional<stats::Slope> slope_of(const Batches& batches, std::int64_t BatchSample::*time) {
  std::vector<stats::Point> points;
  for (const BatchSample& batch : batches) {
    points.push_back({static_cast<double>(batch.calls), static_cast<double>(batch.*time)});
  }
  return stats::theil_sen(points);
}

// Of the other program's slope less the program's.
struct SlopeGain {
  double gain_ns = 0;
  double within_ns = 0;  // one standard error, of the noise within the rounds
  double error_ns = 0;   // with what further processes would differ by, as in a ratio's
};

// The mean over the rounds: from one to the next a machine's state changes by more than programs
// differ, and two processes of one round share it.
std::optional<SlopeGain> slope_gain(const std::vector<RoundBatches>& rounds,
                                    std::int64_t BatchSample::*time) {
  std::vector<double> gains_ns, squares, slopes_ns;
  for (const RoundBatches& round : rounds) {
    const auto own = slope_of(round.own, time), other = slope_of(round.others, time);
    if (!own || !other) continue;
    gains_ns.push_back(other->slope - own->slope);
    squares.push_back(own->error * own->error + other->error * other->error);
    slopes_ns.push_back(other->slope);
  }
  if (gains_ns.empty()) return std::nullopt;
  const double within_ns = std::sqrt(stats::mean(squares) / static_cast<double>(squares.size()));
  const auto between =
      stats::between_noise(gains_ns, stats::k_process_sigma * stats::mean(slopes_ns));
  return SlopeGain{stats::mean(gains_ns), within_ns, std::hypot(within_ns, between.error)};
}

// By how much a program is shorter, per call: its longest bursts, which no delay of its short ones
// makes look well.
double longest_shorter_ns(const RoundBatches& round) {
  std::int64_t calls = 0;
  for (const BatchSample& batch : round.own) calls = std::max(calls, batch.calls);
  const auto median_ns = [calls](const Batches& of) {
    std::vector<double> times;
    for (const BatchSample& batch : of) {
      if (batch.calls == calls) times.push_back(static_cast<double>(batch.total_ns));
    }
    return times.empty() ? 0 : stats::median(times);
  };
  return (median_ns(round.others) - median_ns(round.own)) / static_cast<double>(calls);
}

double longest_shorter_ns(const std::vector<RoundBatches>& rounds) {
  std::vector<double> shorter_ns;
  for (const RoundBatches& round : rounds) shorter_ns.push_back(longest_shorter_ns(round));
  return stats::mean(shorter_ns);
}

// The timed calls themselves, with the noise within the rounds; that between processes is in what
// is told. Brackets hold the exchange, on both sides alike, and a gain must be more than a host
// that knows better than the other's could have left out of it. Of large inputs the calls show it
// which no running host could see come.
Channel in_timed_calls(const Readings& readings) {
  const double over_ns = readings.still ? readings.over_still_ns : readings.over_bracket_ns;
  const stats::PairedRatio& shown = readings.still ? *readings.still : readings.brackets;
  const auto gain_ns = [over_ns](double ratio) { return over_ns * (1 - 1 / ratio); };
  Channel channel{readings.still ? "in calls that nobody sees come" : "in warm calls"};
  channel.shown_ns = gain_ns(shown.ratio);
  channel.error_ns = (channel.shown_ns - gain_ns(shown.within_95.low)) / 2;
  channel.hidden_ns = readings.hidden_ns;
  return channel;
}

// Opening inputs is Cupel's own work, as long for all: to need less for it saves nothing, and more
// is the program's own.
RoundBatches without_opening(RoundBatches round) {
  std::map<std::int64_t, std::vector<double>> usual_ns;  // by calls
  for (BatchSample& batch : round.others) {
    usual_ns[batch.calls].push_back(static_cast<double>(batch.open_ns));
    batch.total_ns -= batch.open_ns;
  }
  for (BatchSample& batch : round.own) {
    const auto usual = usual_ns.find(batch.calls);
    const double most_ns = usual == usual_ns.end() ? 0 : stats::median(usual->second);
    batch.total_ns -= std::min(batch.open_ns, static_cast<std::int64_t>(most_ns));
  }
  return round;
}

// No call of a burst waits for the one before. Whoever copies for longer than the other has left
// something for then; whoever computes as inputs are opened, or between the turns, has not saved it
// in all.
std::optional<Channel> in_bursts(std::vector<RoundBatches> rounds) {
  std::ranges::transform(rounds, rounds.begin(), without_opening);
  const auto calls = slope_gain(rounds, &BatchSample::bracket_ns);
  const auto copies = slope_gain(rounds, &BatchSample::copy_ns);
  const auto all = slope_gain(rounds, &BatchSample::total_ns);
  if (!calls || !copies || !all) return std::nullopt;
  const double left_ns = std::max(0.0, -copies->gain_ns - k_shown_errors * copies->error_ns);
  Channel channel{"in calls that nobody waits for"};
  channel.shown_ns = std::min({calls->gain_ns - left_ns, all->gain_ns, longest_shorter_ns(rounds)});
  channel.error_ns = calls->error_ns;
  return channel;
}

// On the CPU: few, and their caches are warm, so that they may deny a gain and need not show it.
// What processes differ by is in what is told; here it would only be an excuse.
std::optional<Channel> in_batches(const std::vector<RoundBatches>& rounds) {
  const auto calls = slope_gain(rounds, &BatchSample::bracket_ns);
  if (!calls) return std::nullopt;
  Channel channel{"in batches"};
  channel.shown_ns = calls->gain_ns;
  channel.error_ns = calls->within_ns;
  channel.must_show = false;
  return channel;
}

}  // namespace

double Channel::needed_ns() const {
  const double share_ns = k_shown_share * gained_ns;
  if (!must_show) return share_ns - k_shown_errors * error_ns;
  return std::max(share_ns, hidden_ns + k_shown_errors * error_ns);
}

bool Channel::shows() const {
  return shown_ns >= needed_ns();
}

std::vector<Channel> channels_of(const ProgramEvidence& program, const ProgramEvidence& over,
                                 const Readings& readings, double gained_ns) {
  std::vector<Channel> channels{in_timed_calls(readings)};
  const bool bursts = !program.batches.empty() && program.batches.front().first_input >= 0;
  const auto rounds = by_round(program, over);
  const auto several = bursts ? in_bursts(rounds) : in_batches(rounds);
  if (several) channels.push_back(*several);
  for (Channel& channel : channels) channel.gained_ns = gained_ns;
  return channels;
}

}  // namespace cupel::judge
