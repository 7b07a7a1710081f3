#include "judge/clock_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/result.h"
#include "judge/limits.h"
#include "stats/quantile.h"
#include "stats/slope.h"

namespace cupel::judge {
namespace {

template <class Get>
std::vector<double> column(const ProgramEvidence& program, Get get) {
  std::vector<double> values;
  values.reserve(program.calls.size());
  for (const CallSample& call : program.calls) values.push_back(static_cast<double>(get(call)));
  return values;
}

double overhead_ns(const CallSample& call) {
  return static_cast<double>(call.bracket_ns - call.claim_ns);
}

double median_copy_ns(const ProgramEvidence& program) {
  return stats::median(column(program, [](const CallSample& call) { return call.copy_ns; }));
}

std::vector<double> charged_times(const std::vector<ChargedCall>& calls) {
  std::vector<double> times;
  for (const ChargedCall& call : calls) times.push_back(call.charged_ns);
  return times;
}

// Of the calls that were disturbed least: what a program leaves out itself is in these too, what
// other processes of a busy machine take is not. Their share differs between two honest programs,
// since the one that runs longer is interrupted within its claims.
double undisturbed_excess_ns(const ProgramEvidence& program,
                             const std::vector<double>& baseline_overheads) {
  const auto overheads = column(program, overhead_ns);
  return stats::quantile(overheads, k_undisturbed_share) -
         stats::quantile(baseline_overheads, k_undisturbed_share);
}

// What a further call adds to a batch, on the judge's clock or by the host's claims.
std::optional<stats::Slope> batch_slope(
    const ProgramEvidence& program, std::int64_t BatchSample::*time = &BatchSample::bracket_ns) {
  std::vector<stats::Point> points;
  for (const BatchSample& batch : program.batches) {
    if (!batch.counted) continue;
    points.push_back({static_cast<double>(batch.calls), static_cast<double>(batch.*time)});
  }
  if (points.size() < k_slope_batches_min) return std::nullopt;
  return stats::theil_sen(points);
}

// How much quicker a program is in batches than in single calls, by its claims; if that is more
// than noise, as much as noise allows it to be.
double quicker_in_batches_ns(const ProgramEvidence& program, double noise_ns) {
  const auto slope = batch_slope(program, &BatchSample::claim_ns);
  const double warm_ns = slope ? median_claim_ns(program) - slope->slope : 0;
  return warm_ns > noise_ns ? warm_ns + noise_ns : std::max(0.0, warm_ns);
}

// By how much a program is shorter, per call: its longest bursts, which no delay of its short ones
// makes look well.
double longest_shorter_ns(const ProgramEvidence& program, const ProgramEvidence& baseline) {
  std::int64_t calls = 0;
  for (const BatchSample& batch : program.batches) calls = std::max(calls, batch.calls);
  const auto median_ns = [calls](const ProgramEvidence& of) {
    std::vector<double> times;
    for (const BatchSample& batch : of.batches) {
      if (batch.counted && batch.calls == calls) {
        times.push_back(static_cast<double>(batch.total_ns));
      }
    }
    return times.empty() ? 0 : stats::median(times);
  };
  return (median_ns(baseline) - median_ns(program)) / static_cast<double>(calls);
}

// Nobody in a burst waits for the device but the judge. Whoever copies for longer than the baseline
// has left something for then; whoever computes between the turns has not saved it in all.
void require_in_bursts(SlopeAudit& audit, const ProgramEvidence& program,
                       const ProgramEvidence& baseline) {
  const auto copies = batch_slope(program, &BatchSample::copy_ns);
  const auto twin_copies = batch_slope(baseline, &BatchSample::copy_ns);
  const auto all = batch_slope(program, &BatchSample::total_ns);
  const auto twin_all = batch_slope(baseline, &BatchSample::total_ns);
  if (!copies || !twin_copies || !all || !twin_all) return;
  const double error_ns = k_burst_errors * std::hypot(copies->error, twin_copies->error);
  audit.shown_ns -= std::max(0.0, copies->slope - twin_copies->slope - error_ns);
  audit.shown_ns = std::min(
      {audit.shown_ns, twin_all->slope - all->slope, longest_shorter_ns(program, baseline)});
  audit.bursts = true;
  audit.noise_ns = 0;
  audit.needed_ns = std::max(k_slope_gain_shown_min * audit.gained_ns,
                             k_burst_errors * audit.scatter_ns / k_slope_sigmas);
}

double bare_claim_ns(const ProgramEvidence& program) {
  std::vector<double> claims;
  for (const BareSample& call : program.bare) claims.push_back(static_cast<double>(call.claim_ns));
  return claims.empty() ? 0 : stats::median(claims);
}

// Of each input that both programs got in bare calls.
struct BareGains {
  std::vector<double> shown_ns;  // how much shorter the program's bracket is
  std::vector<double> host_ns;  // what a host that knows better than the baseline's could leave out
                                // of its bracket, or do before it
  std::vector<double> sure_ns;  // the former less the latter
};

BareGains bare_gains(const ProgramEvidence& program, const ProgramEvidence& baseline) {
  BareGains gains;
  for (const BareSample& own : program.bare) {
    for (const BareSample& twin : baseline.bare) {
      if (twin.input != own.input) continue;
      gains.shown_ns.push_back(static_cast<double>(twin.bracket_ns - own.bracket_ns));
      const std::int64_t seen_ns = std::max(twin.seen_ns, own.seen_ns);
      const std::int64_t read_ns = std::min(twin.read_ns, own.read_ns);
      gains.host_ns.push_back(
          static_cast<double>(twin.bracket_ns - read_ns - twin.claim_ns + seen_ns));
      gains.sure_ns.push_back(gains.shown_ns.back() - gains.host_ns.back());
    }
  }
  return gains;
}

double error_of_median(const std::vector<double>& values) {
  return k_median_error * stats::mad_sigma(values) / std::sqrt(static_cast<double>(values.size()));
}

}  // namespace

double median_claim_ns(const ProgramEvidence& program) {
  if (program.calls.empty()) return 0;
  return stats::median(column(program, [](const CallSample& call) { return call.claim_ns; }));
}

ClockAudit audit_clock(const ProgramEvidence& program, const ProgramEvidence& baseline) {
  CUPEL_CHECK(!program.calls.empty() && !baseline.calls.empty());
  const auto baseline_overheads = column(baseline, overhead_ns);
  ClockAudit audit;
  audit.claim_ns = median_claim_ns(program);
  audit.baseline_overhead_ns = stats::median(baseline_overheads);
  audit.excess_ns = stats::median(column(program, overhead_ns)) - audit.baseline_overhead_ns;
  const double scatter_ns = std::min(k_overhead_slack_sigmas * stats::mad_sigma(baseline_overheads),
                                     k_overhead_slack_scatter_max * median_claim_ns(baseline));
  audit.slack_ns =
      std::max({k_overhead_slack_ns, scatter_ns, k_overhead_slack_claim * audit.claim_ns});
  audit.systematic = std::min(audit.excess_ns, undisturbed_excess_ns(program, baseline_overheads)) >
                     audit.slack_ns;
  const double copied_ns = median_copy_ns(program) - median_copy_ns(baseline);
  audit.layout =
      audit.systematic && program.layout_differs && audit.excess_ns - copied_ns <= audit.slack_ns;
  return audit;
}

std::vector<ChargedCall> charge(const std::vector<CallSample>& calls, const ClockAudit& audit) {
  std::vector<ChargedCall> charged;
  charged.reserve(calls.size());
  for (const CallSample& call : calls) {
    const double claim = std::max(1.0, static_cast<double>(call.claim_ns));
    const double extra = overhead_ns(call) - audit.baseline_overhead_ns;
    const bool counts = audit.systematic ? extra > 0 : extra > audit.slack_ns;
    charged.push_back({call.input, call.round, claim, counts ? claim + extra : claim,
                       claim + std::max(0.0, extra),
                       std::max(1.0, static_cast<double>(call.bracket_ns))});
  }
  return charged;
}

double mean_charge_ns(const std::vector<ChargedCall>& calls) {
  double sum = 0;
  for (const ChargedCall& call : calls) sum += call.charged_ns - call.claim_ns;
  return calls.empty() ? 0 : sum / static_cast<double>(calls.size());
}

double charged_share(const std::vector<ChargedCall>& calls) {
  const auto charged = std::count_if(calls.begin(), calls.end(), [](const ChargedCall& call) {
    return call.charged_ns > call.claim_ns;
  });
  return calls.empty() ? 0 : static_cast<double>(charged) / static_cast<double>(calls.size());
}

std::optional<std::string> impossible_claim(const ProgramEvidence& program) {
  for (const CallSample& call : program.calls) {
    const double bracket = static_cast<double>(call.bracket_ns);
    const double most = bracket * (1 + k_clock_grain_share) + k_clock_grain_ns;
    if (call.claim_ns > 0 && static_cast<double>(call.claim_ns) <= most) continue;
    return fmt::format("on input {} it claims {:.4g} us of a call that took {:.4g} us on our clock",
                       call.input, static_cast<double>(call.claim_ns) / 1e3, bracket / 1e3);
  }
  return std::nullopt;
}

std::optional<SlopeAudit> audit_slope(const ProgramEvidence& program,
                                      const std::vector<ChargedCall>& calls,
                                      const ProgramEvidence& baseline,
                                      const std::vector<ChargedCall>& baseline_calls) {
  const auto slope = batch_slope(program), twin = batch_slope(baseline);
  if (!slope || !twin || calls.empty() || baseline_calls.empty()) return std::nullopt;
  const double single_ns = stats::median(charged_times(calls));
  const double baseline_ns = stats::median(charged_times(baseline_calls));
  const double noise_ns = k_slope_sigmas * std::hypot(slope->error, twin->error);
  // What a call costs in a batch beyond its single time is the harness's as far as the baseline
  // pays it too. A baseline that gets quicker in batches earns the candidate no reproach.
  const double harness_ns = std::max(0.0, twin->slope - baseline_ns);
  const double expected_ns = single_ns + harness_ns;
  const double tolerance_ns =
      std::min(k_slope_tolerance * expected_ns + noise_ns, k_slope_tolerance_max * expected_ns);
  SlopeAudit audit{slope->slope, expected_ns + tolerance_ns};
  audit.gained_ns = baseline_ns - single_ns;
  audit.shown_ns = twin->slope - slope->slope;
  audit.noise_ns = audit.scatter_ns = noise_ns;
  audit.lenient_ns = (1 + k_slope_tolerance) * expected_ns + noise_ns;
  audit.large = audit.gained_ns > k_slope_large_gain * baseline_ns;
  if (program.batches.front().first_input >= 0) {
    audit.warm_ns = std::max(0.0, baseline_ns - twin->slope);  // claims are of launches there
    require_in_bursts(audit, program, baseline);
    return audit;
  }
  audit.warm_ns = quicker_in_batches_ns(baseline, noise_ns);
  if (audit.large) {
    audit.noise_ns = std::min(audit.noise_ns, k_slope_noise_max * audit.gained_ns);
    audit.needed_ns = k_slope_gain_shown_min * audit.gained_ns;
  }
  return audit;
}

std::optional<BareAudit> audit_bare(const ProgramEvidence& program,
                                    const std::vector<ChargedCall>& calls,
                                    const ProgramEvidence& baseline,
                                    const std::vector<ChargedCall>& baseline_calls) {
  const BareGains gains = bare_gains(program, baseline);
  const bool too_few = gains.shown_ns.size() < k_bare_calls_min;
  if (too_few || calls.empty() || baseline_calls.empty()) return std::nullopt;
  const double baseline_ns = stats::median(charged_times(baseline_calls));
  BareAudit audit;
  audit.gained_ns = baseline_ns - stats::median(charged_times(calls));
  audit.shown_ns = stats::median(gains.shown_ns);
  audit.error_ns = error_of_median(gains.shown_ns);
  audit.share_ns = k_bare_gain_shown_min * audit.gained_ns;
  audit.host_ns = stats::median(gains.host_ns);
  audit.sure_ns = stats::median(gains.sure_ns);
  // Beside a gain of milliseconds, their noise hides no host's microseconds.
  audit.noise_ns = std::min(k_bare_sure_errors * error_of_median(gains.sure_ns), audit.host_ns);
  audit.warm_ns = median_claim_ns(baseline) - bare_claim_ns(baseline);
  audit.large = audit.gained_ns > k_slope_large_gain * baseline_ns;
  return audit;
}

}  // namespace cupel::judge
