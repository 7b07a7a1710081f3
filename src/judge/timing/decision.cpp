#include "judge/timing/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "judge/timing/limits.h"
#include "judge/timing/throughput.h"

namespace cupel::judge {
namespace {

void tell(Weighing& weighing, Clock by, const stats::PairedRatio& ratio) {
  if (ratio.total_95.high >= weighing.told.ratio) return;
  weighing.told = ratio;
  weighing.by = by;
}

Readings read(const TimedProgram& candidate, const TimedProgram& over) {
  if (!over.exchanges_ns.empty()) return read_warm(candidate, over);
  return candidate.program.trusted ? read_claims(candidate, over) : read_clocks(candidate, over);
}

void tell_latency(Weighing& weighing, bool believed) {
  const bool warm = weighing.readings.warm;
  weighing.told = warm ? weighing.readings.seen : weighing.readings.claimed;
  weighing.by = warm ? Clock::judges_warm : Clock::hosts;
  weighing.candidate_ns = weighing.readings.candidate_ns;
  weighing.over_ns = weighing.readings.over_ns;
  if (!believed && !warm) tell(weighing, Clock::judges, weighing.readings.seen);
}

void tell_throughput(Weighing& weighing, const Throughput& throughput) {
  weighing.told = throughput.ratio;
  weighing.by = Clock::throughput;
  weighing.candidate_ns = throughput.candidate_ns;
  weighing.over_ns = throughput.over_ns;
}

Outcome outcome_of(const Weighing& weighing) {
  const Outcome outcome = decide(weighing.told);
  const bool unshown = outcome == Outcome::faster && weighing.unshown() != nullptr;
  const bool contradicted = outcome == Outcome::same && weighing.claims_a_win();
  return unshown || contradicted ? Outcome::ambiguous : outcome;
}

std::string interval_text(const stats::PairedRatio& ratio) {
  return fmt::format("{:.3f}x [{:.3f}, {:.3f}]", ratio.ratio, ratio.total_95.low,
                     ratio.total_95.high);
}

Reason unshown_reason(const Channel& channel) {
  return {
      std::string(channel.code),
      fmt::format("timed calls are {:.4g} us faster; {} it is {:.4g} us, and {:.4g} us must show",
                  channel.gained_ns / 1e3, channel.name, channel.shown_ns / 1e3,
                  channel.needed_ns() / 1e3),
      channel.shown_ns / 1e3, channel.needed_ns() / 1e3};
}

double median_ratio(const Readings& readings) {
  return readings.warm ? readings.seen.ratio : readings.claimed.ratio;
}

// A win by the claims that the judge's clock takes back.
Reason contradicted_reason(const Weighing& weighing) {
  const double claimed = weighing.readings.claimed.ratio;
  if (weighing.by == Clock::judges_sum) {
    const double median = median_ratio(weighing.readings);
    return {"deferred_work",
            fmt::format("its median call is {:.3f} times as fast, all calls together are {}: most "
                        "calls are cheap because others do their work, or were disturbed",
                        median, interval_text(weighing.told)),
            median, weighing.told.ratio};
  }
  return {"clock_margin",
          fmt::format("by its claims it is {:.3f} times as fast, by the judge's clock {}", claimed,
                      interval_text(weighing.told)),
          claimed, weighing.told.ratio};
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
  if (weighing.by != Clock::hosts && weighing.claims_a_win()) return contradicted_reason(weighing);
  return {"interval_too_wide",
          fmt::format("the interval [{:.3f}, {:.3f}] leaves it open", told.total_95.low,
                      told.total_95.high),
          told.half_width(), k_half_width_tight};
}

// By how much a call's bracket is longer, beside the claims, than the other program's.
double outside_us(const Readings& readings) {
  const double claimed_ns = readings.over_ns - readings.candidate_ns;
  const double seen_ns = readings.over_bracket_ns * (1 - 1 / readings.brackets.ratio);
  return (claimed_ns - seen_ns) / 1e3;
}

}  // namespace

bool Weighing::claims_a_win() const {
  return by != Clock::throughput && decide(readings.claimed) == Outcome::faster;
}

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
  const bool believed = candidate.program.trusted;
  Weighing weighing;
  weighing.readings = read(candidate, over);
  if (weighing.readings.claimed.blocks == 0) {
    tell_latency(weighing, true);
    return weighing;
  }
  const auto throughput =
      metric == Metric::throughput ? throughput_of(candidate, over) : std::nullopt;
  if (throughput) {
    tell_throughput(weighing, *throughput);
  } else {
    tell_latency(weighing, believed);
  }
  if (!believed) {
    if (weighing.readings.summed) tell(weighing, Clock::judges_sum, *weighing.readings.summed);
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
  const ProgramEvidence& other = over.program;
  if (deciding == Metric::throughput) {
    const Weighing weighing = weigh(candidate, over, Metric::latency);
    if (weighing.told.pairs == 0) return std::nullopt;
    return make_ratio(other.label, other.candidate_id, weighing.told, weighing.candidate_ns,
                      weighing.over_ns);
  }
  const auto throughput = throughput_of(candidate, over);
  if (!throughput) return std::nullopt;
  return make_ratio(other.label, other.candidate_id, throughput->ratio, throughput->candidate_ns,
                    throughput->over_ns);
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

std::vector<Reason> notes_of(const Weighing& weighing, const ProgramEvidence& program) {
  std::vector<Reason> notes;
  const stats::PairedRatio& told = weighing.told;
  const double claimed = median_ratio(weighing.readings);
  if (weighing.by == Clock::judges_sum) {
    notes.push_back(
        {"mean_charged",
         fmt::format("the sum of all calls is told; the median call is {:.3f}x", claimed),
         told.ratio, claimed});
  } else if (weighing.by == Clock::judges) {
    const char* const code = program.layout_differs ? "layout_charged" : "time_outside_window";
    const char* const why =
        program.layout_differs ? ", copying outputs of another memory format" : "";
    notes.push_back({code,
                     fmt::format("the judge's clock is told: {:.4g} us a call pass outside the "
                                 "claims{}, which are {:.3f}x",
                                 outside_us(weighing.readings), why, claimed),
                     told.ratio, claimed});
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
