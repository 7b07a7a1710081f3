// "90s", "5min", "1h" as seconds.
#pragma once

#include <string_view>

#include "base/result.h"

namespace cupel::cli {

inline constexpr double k_seconds_per_minute = 60;

// A plain number counts in units of `plain_unit_s`. An input error, at `where`, for anything that
// is not a positive time.
Result<double> parse_seconds(std::string_view text, double plain_unit_s, std::string_view where);

}  // namespace cupel::cli
