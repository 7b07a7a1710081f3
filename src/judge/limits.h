// Every number that a verdict hangs on but those of timing/limits.h, with its unit and its reason.
// docs/equality.md shows the measurements behind them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cupel::judge {

// --- Tolerance: multiples of the reference's own error --------------------------------------
// fp32 policies (eager, exact). Sequential accumulation of 32,768 terms of both signs makes 9.5
// times the reference's error, TF32 operands 870 times: 32 leaves room on both sides.
inline constexpr double k_multiple_fp32 = 32;
// exact, rms over all elements: the order of the terms is free, their precision is not. Adding up
// in order makes 3.4 times the reference's error over 4,096 terms, 12 times over 32,768; other
// honest formulas (tanh through exp near zero) up to 9 times; operands of two bfloat16 terms 17 and
// more.
inline constexpr double k_multiple_exact = 12;
// Of what the reference is off by where its sums are added up in order (python/cupel/in_order.py):
// another order is another draw, and a recurrence for the mean and variance (Welford's) rounds more
// often: 2.2 times seen...
inline constexpr double k_multiple_in_order = 3;
// ...but not so many times what it is off by itself that lower precision might hide there: 1.2e-4
// spreads and more, where TF32 operands make 2.8e-4 of terms of both signs.
inline constexpr double k_multiple_in_order_max = 1024;
// In a group of elements, which may be what cancellations left: 2e-3 of their size. Means of
// channels that happen to lie near zero were off by 2.5e-4.
inline constexpr double k_multiple_in_order_group_max = 16384;
// half, tf32: the reference's error is that arithmetic's already; fp8 makes 8 times it and more.
// The least of all multiples: the referee is told, and looks no closer at what is below it.
inline constexpr double k_multiple_low_precision = 4;

// The referee's errors are the excess over 8 units in the last place (ulp) of each value, which
// hides that much of the reference's own rounding (a sum of a million terms: 1.8e-7 spreads, of
// which 2.7e-8 show). So this is added to the reference's error before it is multiplied; in spreads
// of the oracle's output. A reference whose error is all hidden would allow nothing without it.
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
// Of low precision, with weights as constructed, on one input that is harder than the class's
// samples were: half of what zeros are off by. TF32 kernels of one convolution are off by 0.1 to
// 0.14 where one channel lies 1000 std away.
inline constexpr double k_tolerance_rms_told_low_precision = 0.5;
inline constexpr double k_tolerance_max_usable_fp32 = 0.1;
inline constexpr double k_tolerance_max_usable_low_precision = 0.5;

// Errors that are infinite or NaN are stated as this (JSON has neither).
inline constexpr double k_error_unbounded = 1e30;

// --- Audit --------------------------------------------------------------------------------------
// Inputs on which either reference followed the candidate; fewer say nothing about a median.
inline constexpr std::size_t k_disturbance_inputs_min = 6;
// Programs that use other memory than the reference disturb its caches by some per cent in any
// case.
inline constexpr double k_disturbance_noted = 1.05;
// Memory that a program gained in the second half of the calls, on the inputs of the first half in
// another order of their rows, beyond what the baseline did: less is the allocator's...
inline constexpr std::int64_t k_growth_bytes_min = 1 << 20;
// ...and no look may show more of it than this share, or it is a workspace that was made once.
inline constexpr double k_growth_step_share_max = 0.5;
inline constexpr std::size_t k_growth_samples_min = 8;
// With an idle kernel a decoy takes at most so many times as long as without: where an honest
// program falls back to something else, that is slower.
inline constexpr double k_idle_slowdown_max = 1.25;

}  // namespace cupel::judge
