// A lane of workers in simulated time.
#pragma once

#include <algorithm>
#include <vector>

namespace cupel::simulate {

// First come, first served; times must be taken in their order.
class Lane {
 public:
  explicit Lane(int workers) : free_at_s_(static_cast<std::size_t>(workers), 0.0) {}

  // When work that is ready at `now_s` and takes `seconds` is done.
  double take(double now_s, double seconds) {
    double& earliest = *std::min_element(free_at_s_.begin(), free_at_s_.end());
    earliest = std::max(earliest, now_s) + seconds;
    return earliest;
  }

 private:
  std::vector<double> free_at_s_;
};

}  // namespace cupel::simulate
