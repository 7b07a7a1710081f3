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
  bool outliers = false;  // the inputs are made to hold some

  double rms(const OutputError& own) const;
  double max(const OutputError& own) const;
  double group() const { return k; }  // multiples of the reference's error in a group of elements
  // What may come of another order of sums: the reference is off by `in_order` in one.
  double rms(const OutputError& own, const OutputError& in_order) const;
  double max(const OutputError& own, const OutputError& in_order) const;
  double group(const OutputError& in_order) const;
};

// Of an output leaf of an admitted task, on inputs of that class; `facts` tells its dtype, float32
// where they do not.
LeafRule leaf_rule(const Admission& admission, const TaskFacts& facts, std::size_t leaf,
                   std::string_view value_class);

}  // namespace cupel::judge
