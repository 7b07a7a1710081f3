#include "judge/leaf.h"

#include <algorithm>
#include <cmath>

#include "judge/limits.h"

namespace cupel::judge {
namespace {

using Kind = LeafFailure::Kind;

std::optional<LeafFailure> leaf_failure(const OutputError& error, const Tolerance& tolerance,
                                        std::size_t leaf) {
  const double rms_max = tolerance.rms_max[leaf], error_max = tolerance.error_max[leaf];
  const auto mismatched_max = tolerance.mismatched_max[leaf];
  if (error.nonfinite > 0) {
    return LeafFailure{Kind::nonfinite, leaf, static_cast<double>(error.nonfinite), 0};
  }
  if (error.mismatched > mismatched_max) {
    return LeafFailure{Kind::mismatched, leaf, static_cast<double>(error.mismatched),
                       static_cast<double>(mismatched_max)};
  }
  if (!(error.max <= error_max)) {
    return LeafFailure{Kind::error_max, leaf, finite_error(error.max), error_max};
  }
  if (!(error.rms <= rms_max)) {
    return LeafFailure{Kind::error_rms, leaf, finite_error(error.rms), rms_max};
  }
  if (leaf < tolerance.group_max.size() && !(error.group <= tolerance.group_max[leaf])) {
    return LeafFailure{Kind::group, leaf, finite_error(error.group), tolerance.group_max[leaf]};
  }
  return std::nullopt;
}

}  // namespace

double finite_error(double value) {
  return std::isfinite(value) ? std::min(value, k_error_unbounded) : k_error_unbounded;
}

std::optional<LeafFailure> first_failure(std::span<const OutputError> outputs,
                                         const Tolerance& tolerance) {
  if (outputs.size() != tolerance.rms_max.size()) return LeafFailure{};
  for (std::size_t leaf = 0; leaf < outputs.size(); ++leaf) {
    if (auto failure = leaf_failure(outputs[leaf], tolerance, leaf)) return failure;
  }
  return std::nullopt;
}

}  // namespace cupel::judge
