// How a leaf's tolerance follows from what the reference itself is off by. Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "model/task.h"

namespace cupel::judge {

// All in spreads of the oracle, but for multiples of the reference's own error.
struct LeafRule {
  double k = 0;
  double k_rms = 0;  // of its rms over all elements; at most k
  double hidden_rms = 0;
  double hidden_max = 0;
  double floor = 0;
  double max_usable = 0;  // a single element's tolerance beyond this tells nothing
  double rms_told = 0;    // nor does one of all elements beyond this, on one hard input
  bool outliers = false;  // the inputs are made to hold some

  // What is allowed where the reference is off by `own`, and by `in_order` with its sums added up
  // in order (nothing: nobody looked).
  double rms(const OutputError& own, const OutputError& in_order = {}) const;
  double max(const OutputError& own, const OutputError& in_order = {}) const;
  double group(const OutputError& in_order = {}) const;  // multiples of its error in a group
};

// Of an output leaf of an admitted task, on inputs of that class; `facts` tells its dtype, float32
// where they do not.
LeafRule leaf_rule(const Admission& admission, const TaskFacts& facts, std::size_t leaf,
                   std::string_view value_class);

}  // namespace cupel::judge
