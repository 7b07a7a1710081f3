// How far one output of a program is from what it must be.
#pragma once

#include <cstdint>
#include <string>

namespace cupel {

// Error of one output leaf against the float64 oracle, as raw numbers; see docs/equality.md.
// rms and max are over elements, less 8 units in the last place (1 of low precision), divided by
// the spread (standard deviation) of the oracle's leaf, max by the distance from the mean where
// that is more.
struct OutputError {
  double rms = 0;
  double max = 0;
  double spread = 0;
  std::int64_t elements = 0;
  std::int64_t nonfinite = 0;   // NaN or Inf where the oracle has none, or the other way round
  std::int64_t mismatched = 0;  // integer and bool leaves: elements that differ
  std::int64_t poison = 0;      // elements that still hold the judge's poison pattern
  bool close_1e2 = false;       // torch.allclose(atol=rtol=1e-2), as other evaluators have it
  bool close_1e4 = false;
  std::int64_t worst_index = 0;  // flat index of the largest error
  double worst_got = 0;
  double worst_want = 0;
  double group = 0;  // error in the group of like parts where it is largest, in multiples of what
                     // the reference is off by there on that input (python/cupel/groups.py)
  std::string group_name;  // of that group: "elements of about 3e-05"; "" where it tells nothing
};

}  // namespace cupel
