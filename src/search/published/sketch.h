// How different two sources are, by lines, without comparing them line by line. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cupel::search {

// 64 slots of a one-permutation MinHash (Li, Owen, Zhang 2012) over the set of lines: white space
// and blank lines do not count, a line that occurs twice counts once.
struct Sketch {
  std::array<std::uint32_t, 64> slots{};  // 0: no line fell here
};

// Linear in the source's length.
Sketch sketch_of(std::string_view source);

// Estimate of the share of lines that only one of the two has: 0 for equal sources, 1 for
// sources without a line in common. Its standard error is at most 1/16.
double distance(const Sketch& left, const Sketch& right);

}  // namespace cupel::search
