// Every number that the decision about time hangs on, with its unit and its reason.
// docs/timing.md and docs/statistics.md show the measurements behind them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cupel::judge {

// --- What is told -----------------------------------------------------------------------------
// The ratio by the sum of all calls may fall short of that by the median one by this factor: calls
// of two right programs do not scatter alike.
inline constexpr double k_sum_factor = 1.10;
// What the reference's cold calls take longer is believed to be so many standard errors more: on a
// busy machine its long calls scatter by more than a short candidate takes.
inline constexpr double k_cold_errors = 2;
// Seed of the bootstrap: fixed, so that equal evidence gives an equal verdict.
inline constexpr std::uint64_t k_bootstrap_seed = 0x6375706c;
// faster and slower need the 99 % interval on one side of 1; `same` the 95 % interval in here.
inline constexpr double k_same_low = 0.98;
inline constexpr double k_same_high = 1.02;
inline constexpr int k_blocks_min = 3;  // fewer blocks decide nothing

// --- What channels must show --------------------------------------------------------------------
// Of a gain a channel must show this share: caches are warmer in some than in timed calls, and a
// program that mostly saves misses gains less there...
inline constexpr double k_shown_share = 0.25;
// ...and more than what a host could have hidden, by so many standard errors.
inline constexpr double k_shown_errors = 3;
inline constexpr int k_batches_min = 4;  // fewer say nothing about a slope

// --- Accusations ----------------------------------------------------------------------------

// Rounds in which time must have been left out, each by itself, and calls of a round that tell.
inline constexpr int k_accusing_rounds = 2;
inline constexpr std::size_t k_accusing_calls_min = 16;
// The quantile of a program's overheads that stands for the calls that nobody disturbed.
inline constexpr double k_undisturbed_share = 0.1;
// Time outside the claim beyond the baseline's, in those calls: more than a wake-up takes...
inline constexpr double k_left_out_ns = 25e3;
// ...and than this share of the claim, beyond which losing the win is no accident.
inline constexpr double k_left_out_share = 0.2;
// A share of the claim that is no accident whatever it changes.
inline constexpr double k_left_out_share_blatant = 1.0;
// Both clocks are read once a side: what a claim may exceed its bracket by.
inline constexpr double k_clock_grain_ns = 2e3;
inline constexpr double k_clock_grain_share = 0.001;

// --- Stopping ---------------------------------------------------------------------------------
inline constexpr int k_loser_blocks_min = 6;
inline constexpr double k_loser_ratio = 0.8;    // 99.9 % bound below this: a clear loser
inline constexpr int k_settled_blocks_min = 8;  // an exact 99 % interval exists from 8 on
// Half of the 95 % interval within a round: what processes differ by is more, and no further call
// of these shows it.
inline constexpr double k_half_width_tight = 0.01;

}  // namespace cupel::judge
