// The few distribution functions that intervals need. All are pure and thread-safe.
#pragma once

#include <cstdint>

namespace cupel::stats {

// t such that Student's t with `degrees` >= 1 lies in [-t, t] with probability `confidence` in (0,
// 1).
double student_two_sided_quantile(double confidence, std::int64_t degrees);

// The largest count r >= 0 with P(Binomial(n, 1/2) < r) <= `tail`: how many order statistics may
// be cut from one end of a sample of n so that the median is lost with probability <= `tail`.
// `lost`, if given, receives that probability, P(Binomial(n, 1/2) < r).
std::int64_t median_rank(std::int64_t n, double tail, double* lost = nullptr);

}  // namespace cupel::stats
