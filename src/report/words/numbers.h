// Numbers as people read them.
#pragma once

#include <string>

#include "model/task.h"
#include "model/verdict.h"

namespace cupel::report {

// "1.42x 1.40-1.44": the ratio and its 95 % interval, with a third decimal where the interval is
// that narrow. "1.42x ?" where so few calls were timed that no interval is known.
std::string ratio_text(const Ratio& ratio);
// "0.0123 ms", "1.234 ms", "12.3 ms", "1.23 s"; "" for 0 (unknown).
std::string ms_text(double ms);
// "0.4 s", "12 s", "3 min 05 s", "1 h 02 min".
std::string seconds_text(double seconds);
// "$0", "$1.23".
std::string money_text(double usd);
// "0", "1.2e-07", "unbounded".
std::string error_text(double error);
// "512 B", "3.2 MiB".
std::string bytes_text(double bytes);
// The tightest plain allclose that every call passed: "1e-4", "1e-2" or "no".
std::string allclose_text(const Verdict& verdict);
// "f32[16,256], i64[8]"; at most a few, then "and 3 more".
std::string specs_text(const std::vector<TensorSpec>& specs);

}  // namespace cupel::report
