// One output leaf against its tolerance. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/task.h"

namespace cupel::judge {

// Why a leaf is beyond its tolerance. `value` and `limit` in spreads of the oracle (error_rms,
// error_max), in what the reference is off by in a group (group) or in elements (nonfinite,
// mismatched).
struct LeafFailure {
  enum class Kind { missing, nonfinite, mismatched, error_max, error_rms, group };
  Kind kind = Kind::missing;
  std::size_t leaf = 0;
  double value = 0;
  double limit = 0;
};

// The first leaf beyond its tolerance. A list of another length than the tolerance's fails as
// `missing`; an error that is NaN fails.
std::optional<LeafFailure> first_failure(std::span<const OutputError> outputs,
                                         const Tolerance& tolerance);

// `value`, or k_error_unbounded where it is infinite or NaN.
double finite_error(double value);

}  // namespace cupel::judge
