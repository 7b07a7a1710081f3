// Every number that a verdict hangs on, with its unit and its reason. docs/judging.md shows the
// measurements behind them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cupel::judge {

// --- Tolerance: multiples of the reference's own error --------------------------------------
// fp32 policies (eager, exact). Sequential accumulation of 32,768 terms makes 9.5 times the
// reference's error, TF32 operands 870 times: 32 leaves room on both sides.
inline constexpr double k_multiple_fp32 = 32;
// From this many terms on the multiple grows with sqrt(terms), as the error of honest reordering
// does (116 times at a million terms)...
inline constexpr double k_multiple_growth_terms = 32768;
// ...but stays well under the 870 times of the next lower precision.
inline constexpr double k_multiple_fp32_max = 256;
// exact, rms over all elements: the order of the terms is free, their precision is not. Sequential
// accumulation makes 3.4 times the reference's error (its hidden part counted) over 4,096 terms and
// 12 times over 32,768; operands of two bfloat16 terms, 16 bits, make 17 times and more. Single
// elements and slices scatter too much for such a limit.
inline constexpr double k_multiple_exact = 8;
inline constexpr double k_multiple_exact_growth_terms = 4096;
// half, tf32: the reference's error is that arithmetic's already; fp8 makes 8 times it and more.
inline constexpr double k_multiple_low_precision = 4;

// The referee's errors are the excess over 8 units in the last place (ulp) of each value, which
// hides that much of the reference's own rounding (a sum of a million terms: 1.8e-7 spreads, of
// which 2.7e-8 show). So this is added to the reference's error before it is multiplied; in spreads
// of the oracle's output. Without it a reference whose error is all hidden would allow nothing.
inline constexpr double k_float32_ulp = 1.1920928955078125e-07;  // 2^-23
inline constexpr double k_hidden_rms = k_float32_ulp;
inline constexpr double k_hidden_max = 4 * k_float32_ulp;
// A float64 output: the oracle is no better than the candidate, so the reference's own error is
// zero; 2^-40 is 4,096 ulp for honest reordering and still 10^4 times below float32's rounding.
inline constexpr double k_floor_float64 = 9.094947017729282e-13;
// A value class whose tolerance exceeds these (in spreads) cannot tell programs apart and is not
// relied upon. Zeros and the mean have an rms error of 1 or more, so ten times less than that;
// low precision is given more room for single elements, whose errors are ten times the rms.
inline constexpr double k_tolerance_rms_usable = 0.1;
inline constexpr double k_tolerance_max_usable_fp32 = 0.1;
inline constexpr double k_tolerance_max_usable_low_precision = 0.5;

// Errors that are infinite or NaN are stated as this (JSON has neither).
inline constexpr double k_error_unbounded = 1e30;

// --- Clock audit ----------------------------------------------------------------------------
// Time outside the claim that the baseline does not have may be this much before it is charged:
inline constexpr double k_overhead_slack_ns = 25e3;     // a scheduler tick's worth of wake-up
inline constexpr double k_overhead_slack_sigmas = 3;    // of the baseline's own scatter
inline constexpr double k_overhead_slack_claim = 0.02;  // share of the claimed time
// A machine so busy that brackets scatter by much of a call hides no call in its scatter: so much
// of the baseline's claim at most.
inline constexpr double k_overhead_slack_scatter_max = 0.25;
// The quantile of a program's overheads that stands for its undisturbed calls.
inline constexpr double k_undisturbed_share = 0.1;
// A hidden share beyond which losing the win is no accident.
inline constexpr double k_hidden_share_suspect = 0.2;
// A hidden share, of the claim, that is no accident whatever it changes.
inline constexpr double k_hidden_share_blatant = 1.0;
// Calls that left out time, as a share of all and over the baseline's share, before it is called
// hiding: a busy machine makes single calls look like that.
inline constexpr double k_charged_share_suspect = 0.25;
inline constexpr double k_charged_share_over_twin = 2;
// A baseline that leaves out time in this share of its calls shows a busy machine, on which shares
// say nothing: what is left out is charged, and nobody accused.
inline constexpr double k_charged_share_busy = 0.15;
// But doubted, where that is so many times as often, and more by so many standard errors.
inline constexpr double k_charged_share_doubt = 1.25;
inline constexpr double k_charged_share_sigmas = 3;
// Both clocks are read once a side: what a claim may exceed its bracket by.
inline constexpr double k_clock_grain_ns = 2e3;
inline constexpr double k_clock_grain_share = 0.001;
// Slope audit: per-call time in batches against single calls. Caches are warmer and the calls
// closer together in a batch, so agreement is loose (equal programs of 40 to 70 us were seen 1.3
// apart on two cores); noise is added, but never more than the claim itself.
inline constexpr int k_slope_batches_min = 4;
inline constexpr double k_slope_tolerance = 0.5;
inline constexpr double k_slope_sigmas = 4;
inline constexpr double k_slope_tolerance_max = 1.0;
// Noise that is granted to single calls and batches that contradict each other: of a gain of this
// share of the baseline's time or more, this share at most.
inline constexpr double k_slope_large_gain = 0.5;
inline constexpr double k_slope_noise_max = 0.25;
// And of such a gain batches must show this share; of any gain bursts, and so many standard errors.
inline constexpr double k_slope_gain_shown_min = 0.25;
inline constexpr double k_burst_errors = 3;
// Bare audit: so many pairs at least, and the share of a gain that they must show. Their caches are
// warmer than those of timed calls, so an honest gain may be smaller there.
inline constexpr std::size_t k_bare_calls_min = 3;
inline constexpr double k_bare_gain_shown_min = 0.25;
// By so many standard errors a gain must be more than what a host of another making could show.
inline constexpr double k_bare_sure_errors = 3;
// The standard error of a median of normal values, in those of their mean: sqrt(pi / 2).
inline constexpr double k_median_error = 1.2533;

// --- Mean against median ---------------------------------------------------------------------
// Mean over median may exceed the other program's by this factor before the mean is charged.
inline constexpr double k_mean_factor_charged = 1.10;
// Beyond this factor a win that vanishes under its own mean is work put off, not noise.
inline constexpr double k_mean_factor_suspect = 1.5;
// ...where what exceeds the median is, in time, this many times the other program's.
inline constexpr double k_mean_excess_suspect = 2;
// ...if calls of this many medians recur: at least so many, and this share of all.
inline constexpr double k_slow_call_factor = 1.5;
inline constexpr int k_slow_calls_min = 3;
inline constexpr double k_slow_calls_share = 0.02;
// ...or so many times what the other program has, and one: few, but nobody else's. The other's
// count if they lose this share of what these lose (of those that make the least number, the
// smallest).
inline constexpr int k_slow_calls_factor = 3;
inline constexpr double k_slow_counterpart = 0.5;
inline constexpr int k_mean_calls_min = 8;  // pairs; fewer say nothing about a mean
// Seed of the bootstrap: fixed, so that equal evidence gives an equal verdict.
inline constexpr std::uint64_t k_bootstrap_seed = 0x6375706c;

// --- Decision ---------------------------------------------------------------------------------
// faster and slower need the 99 % interval on one side of 1; `same` the 95 % interval in here.
inline constexpr double k_same_low = 0.98;
inline constexpr double k_same_high = 1.02;
inline constexpr int k_blocks_min = 3;  // fewer blocks decide nothing

// --- Audit --------------------------------------------------------------------------------------
// Inputs on which either reference followed the candidate; fewer say nothing about a median.
inline constexpr std::size_t k_disturbance_inputs_min = 6;
// Programs that use other memory than the reference disturb its caches by some per cent in any
// case.
inline constexpr double k_disturbance_noted = 1.05;
// Memory that a program gained since a quarter of the calls, beyond what the baseline did: less is
// the allocator's...
inline constexpr std::int64_t k_growth_bytes_min = 1 << 20;
// ...no look may show more of it than this share, or it is a workspace that was made once...
inline constexpr double k_growth_step_share_max = 0.5;
// ...and the last third of the looks must show this share, or it is a cache that is full.
inline constexpr double k_growth_end_share_min = 0.15;
inline constexpr std::size_t k_growth_samples_min = 8;
// With an idle kernel a decoy takes at most so many times as long as without: where an honest
// program falls back to something else, that is slower.
inline constexpr double k_idle_slowdown_max = 1.25;

// --- Stopping ---------------------------------------------------------------------------------
inline constexpr int k_loser_blocks_min = 6;
inline constexpr double k_loser_ratio = 0.8;         // 99.9 % bound below this: a clear loser
inline constexpr int k_settled_blocks_min = 8;       // an exact 99 % interval exists from 8 on
inline constexpr double k_half_width_tight = 0.003;  // of the 95 % within-run interval
inline constexpr double k_half_width_clear = 0.01;   // where the decision is clear at 99.9 %

}  // namespace cupel::judge
