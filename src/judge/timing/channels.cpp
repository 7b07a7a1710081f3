#include "judge/timing/channels.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "judge/timing/limits.h"
#include "stats/quantile.h"
#include "stats/slope.h"

namespace cupel::judge {
namespace {

using Batches = std::vector<BatchSample>;

// What a further call adds to a batch.
std::optional<stats::Slope> slope_of(const Batches& batches, std::int64_t BatchSample::*time) {
  std::vector<stats::Point> points;
  for (const BatchSample& batch : batches) {
    if (!batch.counted) continue;
    points.push_back({static_cast<double>(batch.calls), static_cast<double>(batch.*time)});
  }
  if (points.size() < k_batches_min) return std::nullopt;
  return stats::theil_sen(points);
}

// Of the other program's slope less the program's.
struct SlopeGain {
  double gain_ns = 0;
  double error_ns = 0;
};

std::optional<SlopeGain> slope_gain(const ProgramEvidence& program, const ProgramEvidence& over,
                                    std::int64_t BatchSample::*time) {
  const auto own = slope_of(program.batches, time), other = slope_of(over.batches, time);
  if (!own || !other) return std::nullopt;
  return SlopeGain{other->slope - own->slope, std::hypot(own->error, other->error)};
}

// By how much a program is shorter, per call: its longest bursts, which no delay of its short ones
// makes look well.
double longest_shorter_ns(const Batches& batches, const Batches& others) {
  std::int64_t calls = 0;
  for (const BatchSample& batch : batches) calls = std::max(calls, batch.calls);
  const auto median_ns = [calls](const Batches& of) {
    std::vector<double> times;
    for (const BatchSample& batch : of) {
      if (batch.counted && batch.calls == calls) {
        times.push_back(static_cast<double>(batch.total_ns));
      }
    }
    return times.empty() ? 0 : stats::median(times);
  };
  return (median_ns(others) - median_ns(batches)) / static_cast<double>(calls);
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

// Nobody in a burst waits for the device but the judge. Whoever copies for longer than the other
// has left something for then; whoever computes between the turns has not saved it in all.
std::optional<Channel> in_bursts(const ProgramEvidence& program, const ProgramEvidence& over) {
  const auto calls = slope_gain(program, over, &BatchSample::bracket_ns);
  const auto copies = slope_gain(program, over, &BatchSample::copy_ns);
  const auto all = slope_gain(program, over, &BatchSample::total_ns);
  if (!calls || !copies || !all) return std::nullopt;
  const double left_ns = std::max(0.0, -copies->gain_ns - k_shown_errors * copies->error_ns);
  Channel channel{"in calls that nobody waits for"};
  channel.shown_ns = std::min(
      {calls->gain_ns - left_ns, all->gain_ns, longest_shorter_ns(program.batches, over.batches)});
  channel.error_ns = calls->error_ns;
  return channel;
}

// On the CPU: few, and their caches are warm, so that they may deny a gain and need not show it.
std::optional<Channel> in_batches(const ProgramEvidence& program, const ProgramEvidence& over) {
  const auto calls = slope_gain(program, over, &BatchSample::bracket_ns);
  if (!calls) return std::nullopt;
  Channel channel{"in batches"};
  channel.shown_ns = calls->gain_ns;
  channel.error_ns = calls->error_ns;
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
  const auto several = bursts ? in_bursts(program, over) : in_batches(program, over);
  if (several) channels.push_back(*several);
  for (Channel& channel : channels) channel.gained_ns = gained_ns;
  return channels;
}

}  // namespace cupel::judge
