#include "judge/timing/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "judge/timing/limits.h"
#include "judge/timing/throughput.h"

namespace cupel::judge {
namespace {

void tell_latency(Weighing& weighing) {
  weighing.told = weighing.readings.calls;
  weighing.candidate_ns = weighing.readings.candidate_ns;
  weighing.over_ns = weighing.readings.over_ns;
}

void tell_throughput(Weighing& weighing, const Throughput& throughput) {
  weighing.metric = Metric::throughput;
  weighing.told = throughput.ratio;
  weighing.by = Told::throughput;
  weighing.candidate_ns = throughput.candidate_ns;
  weighing.over_ns = throughput.over_ns;
}

void tell_if_less(Weighing& weighing, Told by, const std::optional<stats::PairedRatio>& ratio) {
  if (!ratio || ratio->total_95.high >= weighing.told.ratio) return;
  weighing.told = *ratio;
  weighing.by = by;
}

Outcome outcome_of(const Weighing& weighing) {
  const Outcome outcome = decide(weighing.told);
  const bool unshown = outcome == Outcome::faster && weighing.unshown() != nullptr;
  return unshown ? Outcome::ambiguous : outcome;
}

std::string interval_text(const stats::PairedRatio& ratio) {
  return fmt::format("{:.3f}x [{:.3f}, {:.3f}]", ratio.ratio, ratio.total_95.low,
                     ratio.total_95.high);
}

Reason unshown_reason(const Channel& channel) {
  return {
      "gain_unshown",
      fmt::format("timed calls gain {:.4g} us; {} {:.4g} us of that show, and {:.4g} are needed",
                  channel.gained_ns / 1e3, channel.name, channel.shown_ns / 1e3,
                  channel.needed_ns() / 1e3),
      channel.shown_ns / 1e3, channel.needed_ns() / 1e3};
}

Reason deferred_reason(const Weighing& weighing) {
  const double median = weighing.readings.calls.ratio;
  return {"deferred_work",
          fmt::format("its median call is {:.3f} times as fast, all calls together are {}: most "
                      "calls are cheap because others do their work, or were disturbed",
                      median, interval_text(weighing.told)),
          median, weighing.told.ratio};
}

std::string shown_text(const Weighing& weighing) {
  std::string text = fmt::format("99 % sure of {:.3f}x", weighing.told.total_99.low);
  for (const Channel& channel : weighing.channels) {
    if (!channel.must_show) continue;
    text += fmt::format("; of {:.4g} us {:.4g} us show {}", channel.gained_ns / 1e3,
                        channel.shown_ns / 1e3, channel.name);
  }
  return text;
}

Reason open_reason(const Weighing& weighing) {
  const stats::PairedRatio& told = weighing.told;
  if (told.blocks < k_blocks_min) {
    return {"too_few_calls", fmt::format("right, but only {} pairs of calls to go by", told.pairs),
            static_cast<double>(told.blocks), k_blocks_min};
  }
  if (decide(told) == Outcome::faster) return unshown_reason(*weighing.unshown());
  if (weighing.by == Told::sum && decide(weighing.readings.calls) == Outcome::faster) {
    return deferred_reason(weighing);
  }
  return {"interval_too_wide",
          fmt::format("the interval [{:.3f}, {:.3f}] leaves it open", told.total_95.low,
                      told.total_95.high),
          told.half_width(), k_half_width_tight};
}

}  // namespace

const Channel* Weighing::unshown() const {
  const auto found = std::find_if(channels.begin(), channels.end(),
                                  [](const Channel& channel) { return !channel.shows(); });
  return found == channels.end() ? nullptr : &*found;
}

Outcome decide(const stats::PairedRatio& ratio) {
  if (ratio.blocks < k_blocks_min) return Outcome::ambiguous;
  if (ratio.total_99.low > 1) return Outcome::faster;
  if (ratio.total_99.high < 1) return Outcome::slower;
  const bool same = ratio.total_95.low >= k_same_low && ratio.total_95.high <= k_same_high;
  return same ? Outcome::same : Outcome::ambiguous;
}

Weighing weigh(const TimedProgram& candidate, const TimedProgram& over, Metric metric) {
  Weighing weighing;
  weighing.readings = read(candidate, over);
  tell_latency(weighing);
  if (weighing.told.blocks == 0) return weighing;
  if (metric == Metric::throughput) {
    if (const auto throughput = throughput_of(candidate, over)) {
      tell_throughput(weighing, *throughput);
    }
  }
  if (!candidate.program.trusted) {
    if (weighing.by == Told::calls) {
      tell_if_less(weighing, Told::brackets, weighing.readings.seen);
    }
    tell_if_less(weighing, Told::sum, weighing.readings.summed);
    const double gained_ns = weighing.over_ns * (1 - 1 / weighing.told.ratio);
    weighing.channels = channels_of(candidate.program, over.program, weighing.readings, gained_ns);
  }
  weighing.outcome = outcome_of(weighing);
  return weighing;
}

Ratio ratio_of(const Weighing& weighing, const ProgramEvidence& over) {
  Ratio ratio = make_ratio(over.label, over.candidate_id, weighing.told, weighing.candidate_ns,
                           weighing.over_ns);
  ratio.proven = weighing.outcome == Outcome::faster;
  return ratio;
}

std::optional<Ratio> ratio_beside(const TimedProgram& candidate, const TimedProgram& over,
                                  Metric deciding) {
  const Metric metric = other(deciding);
  const Weighing weighing = weigh(candidate, over, metric);
  if (weighing.metric != metric || weighing.told.pairs == 0) return std::nullopt;
  return ratio_of(weighing, over.program);
}

Reason reason_of(const Weighing& weighing) {
  const stats::PairedRatio& told = weighing.told;
  const std::string name(to_string(weighing.outcome));
  switch (weighing.outcome) {
    case Outcome::faster:
      return {name, shown_text(weighing), told.total_99.low, 1};
    case Outcome::slower:
      return {name, fmt::format("99 % sure of under {:.3f}x", told.total_99.high),
              told.total_99.high, 1};
    case Outcome::same:
      return {name, "no difference worth the name", told.ratio, 1};
    default:
      return open_reason(weighing);
  }
}

std::vector<Reason> notes_of(const Weighing& weighing) {
  std::vector<Reason> notes;
  const stats::PairedRatio& told = weighing.told;
  if (weighing.by == Told::sum) {
    const double median = weighing.readings.calls.ratio;
    notes.push_back(
        {"mean_charged",
         fmt::format("the sum of all calls is told; the median call is {:.3f}x", median),
         told.ratio, median});
  }
  if (told.few_blocks && told.blocks >= k_blocks_min) {
    notes.push_back(
        {"few_blocks",
         fmt::format("only {} blocks of calls: the interval assumes normal noise", told.blocks),
         static_cast<double>(told.blocks), k_settled_blocks_min});
  }
  return notes;
}

}  // namespace cupel::judge
