// What the outputs of calls were found to be, and what only the winner's audit looks at: a program
// called many times more than a judgement does, watched from outside.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/task.h"

namespace cupel {

// The outputs of one call, checked by the referee against the oracle. A round may check an input
// again at its end (revealed once more, untimed): passing once and failing once is nondeterminism.
struct OutputCheck {
  std::int64_t input = 0;
  std::string value_class;
  int instance = 0;                  // which of the two sets of weights
  std::vector<OutputError> outputs;  // empty when the shape, dtype or structure was wrong
  // What the reference itself is off by on this input in the arithmetic that the policy allows: rms
  // and max alone.
  std::vector<OutputError> own = {};
  // The same with its sums added up in order, where more than the usual might have to be allowed;
  // else empty. As `outputs`: less 8 units in the last place.
  std::vector<OutputError> in_order = {};
};

// Memory of a program's processes but for files' (anonymous pages, shared memory, in which the
// arenas are), as the kernel tells it.
struct MemorySample {
  std::int64_t calls = 0;  // made so far while it was watched
  std::int64_t bytes = 0;
};

// Something of its process that a program has changed for all other code in it, as its host says:
// the name of what was looked at, and what that was.
struct StateChange {
  std::string what;
  std::string before;
  std::string after;
};

// The baseline is called beside the program, on the same inputs in the same order, and its checks
// are the standard for the program's.
struct Endurance {
  int calls = 0;                   // in all
  std::vector<OutputCheck> turns;  // the first ones; both sets of weights in random order
  std::vector<OutputCheck> held;   // the outputs of those calls, read once more at the end
  std::vector<OutputCheck> late;   // some of the calls that followed, and all of the last ones
  // Timed calls whose outputs were read once more after the next call, and those whose outputs were
  // not what they had been.
  int recalled = 0;
  std::vector<std::int64_t> changed;
  std::vector<MemorySample> memory;
  std::vector<StateChange> left_behind;  // from before its import to the end
};

}  // namespace cupel
