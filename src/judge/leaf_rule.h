// How a leaf's tolerance follows from what the reference itself is off by. Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "model/task.h"

namespace cupel::judge {

// All in spreads of the oracle, but for multiples of the reference's own error.
struct LeafRule {
  double k = 0;
  double k_rms = 0;         // of its rms over all elements; at most k
  double in_order_rms = 0;  // what adding up in order may make of its rms, beyond hidden_max,
  double in_order_max = 0;  // and of its largest error
  double equal_terms = 0;   // as many as may be equal; multiples of what is hidden
  double hidden_rms = 0;
  double hidden_max = 0;
  double floor = 0;
  double max_usable = 0;  // a single element's tolerance beyond this tells nothing
  bool outliers = false;  // the inputs are made to hold some

  double rms(const OutputError& own) const;
  double max(const OutputError& own) const;
  double group() const;  // multiples of the reference's error in a group of elements
};

// Where a task is called: inputs of a value class, under the task's own weights or others.
struct CalledOn {
  std::string_view value_class;
  bool other_weights = false;
};

// Of an output leaf of an admitted task; `facts` tells its dtype, float32 where they do not.
LeafRule leaf_rule(const Admission& admission, const TaskFacts& facts, std::size_t leaf,
                   const CalledOn& called_on);

}  // namespace cupel::judge
