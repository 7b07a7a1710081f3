#include "judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "judge/clock_audit.h"
#include "judge/device_time.h"
#include "judge/feedback.h"
#include "judge/finding.h"
#include "judge/limits.h"
#include "judge/timing.h"
#include "stats/quantile.h"

namespace cupel::judge {
namespace {

// The candidate against the baseline, with all that the timing rules look at.
struct Timing {
  const ProgramEvidence& program;
  ClockAudit audit;
  TimedProgram candidate;
  TimedProgram baseline;
  Comparison over_baseline;
  Outcome outcome = Outcome::ambiguous;

  // What the candidate was charged beyond what its twin was, as a share of its claim.
  double hidden_share() const {
    const double hidden = mean_charge_ns(candidate.calls) - mean_charge_ns(baseline.calls);
    return hidden / std::max(1.0, audit.claim_ns);
  }
  // Of the calls, those that left out time.
  double hiding_share() const { return charged_share(candidate.calls); }
  double twin_hiding_share() const { return charged_share(baseline.calls); }
  // Time is left out again and again, and not by a busy machine, which does it to both.
  bool hides_often() const {
    const double share = hiding_share(), twin = twin_hiding_share();
    return share >= k_charged_share_suspect && share >= k_charged_share_over_twin * twin &&
           twin < k_charged_share_busy;
  }
  // More often than the twin, and not by chance: on a busy machine no proof, but a doubt.
  bool hides_more_often() const {
    const double share = hiding_share(), twin = twin_hiding_share();
    const auto calls = static_cast<double>(std::min(candidate.calls.size(), baseline.calls.size()));
    const double mean = (share + twin) / 2;
    const double noise = k_charged_share_sigmas * std::sqrt(2 * mean * (1 - mean) / calls);
    return !audit.systematic && share >= k_charged_share_doubt * twin && share - twin > noise &&
           hidden_share() > k_hidden_share_suspect;
  }
};

TimedProgram timed(const ProgramEvidence& program, const ProgramEvidence& baseline,
                   const CheckSummary& summary) {
  return timed_program(program, audit_clock(program, baseline), summary.passed);
}

std::optional<Finding> find_hidden_time(const Timing& timing) {
  const double share = timing.hidden_share();
  const bool win_lost = decide(timing.over_baseline.claimed) == Outcome::faster &&
                        decide(timing.over_baseline.median) != Outcome::faster;
  // A claim that leaves out more than it tells is no accident, even where noise makes the charged
  // time look like a win.
  const bool win_claimed = decide(timing.over_baseline.claimed) == Outcome::faster;
  const bool hides = win_lost || (win_claimed && share > k_hidden_share_blatant);
  if (timing.audit.layout || !hides || share <= k_hidden_share_suspect) return std::nullopt;
  if (!timing.audit.systematic && !timing.hides_often()) return std::nullopt;
  return suspect("clock",
                 fmt::format("it claims {:.4g} us a call, but {:.0f} % on top of that pass outside "
                             "the claimed window",
                             timing.audit.claim_ns / 1e3, share * 100),
                 share, k_hidden_share_suspect);
}

std::optional<Finding> find_deferred_work(const Timing& timing) {
  const Comparison& over = timing.over_baseline;
  const bool certain = over.charged.total_99.high < over.median.total_99.low;
  const bool win_lost = decide(over.median) == Outcome::faster && timing.outcome != Outcome::faster;
  // A busy machine costs both sides alike, in time and not in shares of it.
  const bool own_doing = over.excess_factor > k_mean_excess_suspect;
  if (!win_lost || !certain || !own_doing || over.mean_factor <= k_mean_factor_suspect) {
    return std::nullopt;
  }
  return suspect("deferred_work",
                 fmt::format("the mean call takes {:.2f} times the median one, next to the "
                             "baseline's; most calls are cheap because some do their work",
                             over.mean_factor),
                 over.mean_factor, k_mean_factor_suspect);
}

std::optional<SlopeAudit> slope_of(const Timing& timing, const ProgramEvidence& baseline) {
  return audit_slope(timing.program, timing.candidate.calls, baseline, timing.baseline.calls);
}

std::optional<BareAudit> bare_of(const Timing& timing, const ProgramEvidence& baseline) {
  return audit_bare(timing.program, timing.candidate.calls, baseline, timing.baseline.calls);
}

std::string bare_text(const BareAudit& bare) {
  const std::string limit =
      bare.shown_ns < bare.share_ns
          ? fmt::format("{:.4g} us must show", bare.share_ns / 1e3)
          : fmt::format(
                "a host quicker than an honest one could show {:.4g} us, give or take "
                "{:.2g} us",
                bare.host_ns / 1e3, bare.noise_ns / 1e3);
  return fmt::format(
      "timed calls are {:.4g} us faster than the baseline's; with nothing of the exchange in the "
      "time it is {:.4g} us, and {}",
      bare.gained_ns / 1e3, bare.shown_ns / 1e3, limit);
}

std::string slope_text(const SlopeAudit& slope) {
  if (slope.contradicts() || slope.unshown()) {
    return fmt::format(
        "single calls claim to be {:.4g} us faster than the baseline's; "
        "in batches it is {:.4g} us, and {:.4g} us must show",
        slope.gained_ns / 1e3, slope.shown_ns / 1e3, slope.needed_ns / 1e3);
  }
  return fmt::format("in batches a call takes {:.4g} us, single calls allow for {:.4g} us",
                     slope.slope_ns / 1e3, slope.allowed_ns / 1e3);
}

std::optional<Finding> find_clock_suspect(const Timing& timing, const ProgramEvidence& baseline) {
  if (const auto claim = impossible_claim(timing.program)) return suspect("clock", *claim, 0, 0);
  if (auto finding = find_hidden_time(timing)) return finding;
  if (timing.outcome != Outcome::faster) return std::nullopt;
  const auto slope = slope_of(timing, baseline);
  if (slope && slope->differs()) {
    return suspect("clock", slope_text(*slope), slope->slope_ns, slope->allowed_ns);
  }
  const auto bare = bare_of(timing, baseline);
  if (!bare || !bare->contradicts()) return std::nullopt;
  return suspect("clock", bare_text(*bare), bare->shown_ns, bare->share_ns);
}

double median_claim_ms(const ProgramEvidence& program) {
  return median_claim_ns(program) / k_ns_per_ms;
}

bool floor_sound(const Evidence& evidence) {
  return median_claim_ms(evidence.programs.front()) >= evidence.floor_ms;
}

std::optional<Finding> find_impossible(const Evidence& evidence, const Timing& timing) {
  const double claimed_ms = timing.audit.claim_ns / k_ns_per_ms;
  if (claimed_ms >= evidence.floor_ms || !floor_sound(evidence)) return std::nullopt;
  const std::string text = fmt::format(
      "it claims {:.4g} ms a call; moving the data alone takes {:.4g} ms on this machine",
      claimed_ms, evidence.floor_ms);
  return Finding{Outcome::impossible,
                 Fault::candidate,
                 {"below_floor", text, claimed_ms, evidence.floor_ms},
                 text};
}

// Why a win is none after all, although nothing proves a lie.
std::optional<Reason> win_in_doubt(const Timing& timing, const ProgramEvidence& baseline) {
  if (timing.outcome != Outcome::faster) return std::nullopt;
  if (const double sure = timing.over_baseline.sure_when_strict(); sure <= 1) {
    return Reason{"clock_margin",
                  fmt::format("with all of the time outside its claims counted it is {:.3f}x, and "
                              "99 % sure are {:.3f}x",
                              timing.over_baseline.strict_ratio(), sure),
                  sure, 1};
  }
  if (timing.hides_more_often()) {
    const double share = timing.hiding_share(), twin = timing.twin_hiding_share();
    return Reason{
        "clock_margin",
        fmt::format("{:.0f} % of its calls left time outside their claims, {:.0f} % of the "
                    "baseline's; charged, it is {:.0f} % of what it claims",
                    share * 100, twin * 100, timing.hidden_share() * 100),
        share, twin};
  }
  if (!timing.program.unaudited.empty()) {
    return Reason{"gain_unshown", "its gain was not audited: " + timing.program.unaudited, 0, 0};
  }
  const auto slope = slope_of(timing, baseline);
  if (slope && (slope->denies() || slope->unshown())) {
    return Reason{"gain_unshown", slope_text(*slope), slope->slope_ns, slope->allowed_ns};
  }
  const auto bare = bare_of(timing, baseline);
  if (!bare || !bare->falls_short()) return std::nullopt;
  return Reason{"gain_unshown", bare_text(*bare), bare->shown_ns / 1e3, bare->needed_ns() / 1e3};
}

Reason faster_reason(const Timing& timing, const ProgramEvidence& baseline) {
  const double sure = timing.over_baseline.charged.total_99.low;
  std::string text = fmt::format("99 % sure of {:.3f}x", sure);
  if (const auto bare = bare_of(timing, baseline)) {
    text += fmt::format("; of {:.4g} us, calls with nothing of the exchange in them show {:.4g} us",
                        bare->gained_ns / 1e3, bare->shown_ns / 1e3);
  }
  if (const auto slope = slope_of(timing, baseline); slope && slope->bursts) {
    text += fmt::format("; of {:.4g} us, calls that nobody waits for show {:.4g} us",
                        slope->gained_ns / 1e3, slope->shown_ns / 1e3);
  }
  return {std::string(to_string(Outcome::faster)), std::move(text), sure, 1};
}

Reason timing_reason(const Timing& timing, const ProgramEvidence& baseline) {
  const stats::PairedRatio& ratio = timing.over_baseline.charged;
  const std::string name(to_string(timing.outcome));
  switch (timing.outcome) {
    case Outcome::faster:
      return faster_reason(timing, baseline);
    case Outcome::slower:
      return {name, fmt::format("99 % sure of under {:.3f}x", ratio.total_99.high),
              ratio.total_99.high, 1};
    case Outcome::same:
      return {name, "no difference worth the name", ratio.ratio, 1};
    default:
      break;
  }
  if (ratio.blocks < k_blocks_min) {
    return {"too_few_calls", fmt::format("right, but only {} pairs of calls to go by", ratio.pairs),
            static_cast<double>(ratio.blocks), k_blocks_min};
  }
  return {"interval_too_wide",
          fmt::format("the interval [{:.3f}, {:.3f}] leaves it open", ratio.total_95.low,
                      ratio.total_95.high),
          ratio.half_width(), k_half_width_tight};
}

Reason outside_reason(const Timing& timing) {
  const ClockAudit& audit = timing.audit;
  if (audit.layout) {
    return {
        "layout_charged",
        fmt::format("{:.4g} us a call for copying outputs of another memory format were charged",
                    audit.excess_ns / 1e3),
        audit.excess_ns / 1e3, audit.slack_ns / 1e3};
  }
  if (audit.systematic) {
    return {"time_outside_window",
            fmt::format("{:.4g} us a call outside the claimed window were charged",
                        audit.excess_ns / 1e3),
            audit.excess_ns / 1e3, audit.slack_ns / 1e3};
  }
  return {"time_outside_window",
          fmt::format("single calls left time outside their claims; {:.1f} % of the claimed time "
                      "were charged on top",
                      timing.hidden_share() * 100),
          timing.hidden_share(), k_overhead_slack_claim};
}

void add_charge_reasons(Verdict& verdict, const Timing& timing) {
  if (timing.audit.systematic || timing.hidden_share() > k_overhead_slack_claim) {
    verdict.reasons.push_back(outside_reason(timing));
  }
  const Comparison& over = timing.over_baseline;
  if (!over.mean_charged) return;
  verdict.reasons.push_back({"mean_charged",
                             fmt::format("the mean was charged: over the median it is {:.2f} times "
                                         "what the baseline's is",
                                         over.mean_factor),
                             over.mean_factor, k_mean_factor_charged});
}

void add_info_reasons(Verdict& verdict, const Round& round, const Timing& timing) {
  add_charge_reasons(verdict, timing);
  const ProgramEvidence& baseline = round.baseline();
  const auto slope = slope_of(timing, baseline);
  if (slope && slope->differs()) {
    verdict.reasons.push_back(
        {"slope_differs", slope_text(*slope), slope->slope_ns, slope->allowed_ns});
  }
  if (!floor_sound(round.evidence)) {
    const double claim_ms = median_claim_ms(baseline);
    verdict.reasons.push_back(
        {"floor_unsound",
         fmt::format("the baseline's {:.4g} ms are under the floor as well", claim_ms), claim_ms,
         round.evidence.floor_ms});
  }
  const stats::PairedRatio& ratio = timing.over_baseline.charged;
  if (!ratio.few_blocks || ratio.blocks < k_blocks_min) return;
  verdict.reasons.push_back({"few_blocks",
                             fmt::format("only {} blocks of calls: the interval assumes normal "
                                         "noise",
                                         ratio.blocks),
                             static_cast<double>(ratio.blocks), k_settled_blocks_min});
}

// No gain is told that is larger than brackets can be taken to show.
Ratio ratio_over(const Comparison& comparison, const ProgramEvidence& other) {
  Ratio ratio = make_ratio(other.label, other.candidate_id, comparison.charged,
                           comparison.candidate_ms, comparison.over_ms);
  const double most = std::max(1.0, comparison.shown_by(comparison.bracketed.total_99.high));
  for (double* value : {&ratio.ratio, &ratio.low, &ratio.high}) *value = std::min(*value, most);
  return ratio;
}

// What the rules for gains over the baseline leave of a gain over another program: nobody wins over
// a free variant by what he hides within the slack, or where bare calls do not show it.
Ratio ratio_over_rival(const Timing& timing, const TimedProgram& other,
                       const ProgramEvidence& rival) {
  const Comparison comparison = compare(timing.candidate, other);
  Ratio ratio = ratio_over(comparison, rival);
  ratio.low *= comparison.kept_when_strict();
  if (comparison.sure_when_strict() <= 1) ratio.low = std::min(ratio.low, 1.0);
  const auto slope = audit_slope(timing.program, timing.candidate.calls, rival, other.calls);
  if (slope && slope->unshown()) ratio.low = std::min(ratio.low, 1.0);
  const auto bare = audit_bare(timing.program, timing.candidate.calls, rival, other.calls);
  if (bare && bare->falls_short()) ratio.low = std::min(ratio.low, 1.0);
  return ratio;
}

void add_rival_ratios(Verdict& verdict, const Round& round, const Timing& timing) {
  const auto& programs = round.evidence.programs;
  for (std::size_t index = 1; index < programs.size(); ++index) {
    const ProgramEvidence& rival = programs[index];
    if (&rival == &timing.program || rival.calls.empty()) continue;
    const CheckSummary summary = round.summary_of(rival);
    if (find_failure(round, rival, summary)) continue;
    const Ratio ratio = ratio_over_rival(timing, timed(rival, programs.front(), summary), rival);
    if (ratio.pairs > 0) verdict.ratios.push_back(ratio);
  }
}

// Faster and same are claims about what was shown; without a second set of weights neither was.
void conclude_timing(Verdict& verdict, const Round& round, const CheckSummary& summary,
                     Outcome outcome, Reason reason) {
  verdict.outcome = outcome;
  const bool has_weights = round.facts.weight_bytes > 0;
  // Nobody cheats his way to `slower`, so that such a round need not look at other weights.
  const bool claims = verdict.outcome != Outcome::slower;
  if (has_weights && claims && !summary.other_weights_checked) {
    verdict.outcome = Outcome::ambiguous;
    reason = {"weights_unchecked", "never run under a second set of weights", 0, 1};
  }
  verdict.feedback = verdict.ratios.empty()
                         ? reason.text
                         : timing_feedback(verdict.outcome, verdict.ratios.front());
  verdict.reasons.insert(verdict.reasons.begin(), std::move(reason));
}

void judge_timing(Verdict& verdict, const Round& round, const ProgramEvidence& program,
                  const CheckSummary& summary) {
  const ProgramEvidence& baseline = round.baseline();
  if (program.calls.empty() || baseline.calls.empty()) {
    conclude_timing(verdict, round, summary, Outcome::ambiguous,
                    {"too_few_calls", "right, but no call was timed", 0, k_blocks_min});
    return;
  }
  Timing timing{program,
                audit_clock(program, baseline),
                timed(program, baseline, summary),
                timed(baseline, baseline, round.twin),
                {},
                Outcome::ambiguous};
  timing.over_baseline = compare(timing.candidate, timing.baseline);
  timing.outcome = decide(timing.over_baseline.charged);
  if (timing.over_baseline.charged.pairs > 0) {
    verdict.ratios.push_back(ratio_over(timing.over_baseline, baseline));
    add_rival_ratios(verdict, round, timing);
  }
  add_info_reasons(verdict, round, timing);
  auto finding = find_clock_suspect(timing, baseline);
  if (!finding) finding = find_deferred_work(timing);
  if (!finding) finding = find_impossible(round.evidence, timing);
  if (finding) return conclude(verdict, *finding);
  auto doubt = win_in_doubt(timing, baseline);
  conclude_timing(verdict, round, summary, doubt ? Outcome::ambiguous : timing.outcome,
                  doubt ? std::move(*doubt) : timing_reason(timing, baseline));
}

Verdict begin(const ProgramEvidence& program, const CheckSummary& summary,
              const Admission& admission) {
  Verdict verdict;
  verdict.candidate_id = program.candidate_id;
  verdict.label = program.label;
  verdict.error_rms = summary.error_rms;
  verdict.error_max = summary.error_max;
  verdict.close_1e2 = summary.close_1e2;
  verdict.close_1e4 = summary.close_1e4;
  verdict.checked_calls = summary.checked_calls;
  if (!admission.degenerate.empty()) {
    verdict.reasons.push_back({"degenerate_task", admission.degenerate.front(),
                               static_cast<double>(admission.degenerate.size()), 0});
  }
  return verdict;
}

Verdict judge_in(const Round& round, std::size_t program) {
  CUPEL_CHECK(program >= 1 && program < round.evidence.programs.size());
  const ProgramEvidence& judged = round.evidence.programs[program];
  const CheckSummary summary = round.summary_of(judged);
  Verdict verdict = begin(judged, summary, round.admission);
  if (const auto failure = find_failure(round, judged, summary)) {
    conclude(verdict, *failure);
  } else {
    judge_timing(verdict, round, judged, summary);
    verdict.device_ratios = device_ratios(round.evidence, program, verdict.ratios);
  }
  return verdict;
}

}  // namespace

Verdict judge(const Evidence& evidence, std::size_t program, const TaskFacts& facts,
              const Admission& admission, const TaskSettings& settings) {
  return judge_in(Round(evidence, facts, admission, settings), program);
}

std::vector<Verdict> judge_all(const Evidence& evidence, const TaskFacts& facts,
                               const Admission& admission, const TaskSettings& settings) {
  const Round round(evidence, facts, admission, settings);
  std::vector<Verdict> verdicts;
  for (std::size_t program = 1; program < evidence.programs.size(); ++program) {
    verdicts.push_back(judge_in(round, program));
  }
  return verdicts;
}

}  // namespace cupel::judge
