// What a call of a graph costs: arithmetic, memory traffic, operators launched.
#pragma once

#include "rewrite/graph_index.h"

namespace cupel::rewrite {

struct Cost {
  double operations = 0;  // multiplications and additions
  double bytes = 0;       // read and written, each operator by itself
  std::int64_t launches = 0;

  // In bytes of traffic, to compare two graphs of one program. Says what to try; the judge
  // measures.
  double weight() const;
};

// Static values cost nothing: they are derived once.
Cost cost_of(const GraphIndex& index);
// A task's own program: each call derives them anew.
Cost cost_as_written(const GraphIndex& index);

}  // namespace cupel::rewrite
