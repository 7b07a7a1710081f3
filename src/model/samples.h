// What clocks said of calls: the judge's, and the host's, which is a claim.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cupel {

// The value class of inputs as the task's own generator makes them.
inline constexpr std::string_view k_nominal_class = "nominal";

// Value classes of inputs as a user's are: the task's own, and calls that really happened. Those
// tell a time.
constexpr bool is_usual_class(std::string_view value_class) {
  return value_class == k_nominal_class || value_class == "captured";
}

// One timed call. All programs of a round see the same input under the same `input`,
// once each, so times at equal `input` pair up. Times in nanoseconds.
//
// In a row (docs/timing.md, "Warm calls") a call follows closely on the program's own one before.
// Its bracket is from handing it over to getting it back, less what the judge's own reading took.
// Elsewhere it is one exchange: from "go" to the reply.
struct CallSample {
  std::int64_t input = 0;  // index of the revealed input, unique over all rounds
  int round = 0;           // calls of one round ran in the same processes
  std::string value_class;
  std::int64_t order = 0;       // position in the round's sequence of rows, or of single calls
  std::int64_t bracket_ns = 0;  // judge's clock
  std::int64_t claim_ns = 0;    // host's clock around the call; a claim, not a fact
  // How long before that a running host could see some of the input. 0 of a call in a row: the host
  // stood still meanwhile, and none could.
  std::int64_t seen_ns = 0;
};

// One queued call on a GPU (docs/gpu.md, "The device's own time"): all its launches waited until
// the program had returned. Those of two programs at equal `turn` and `round` pair up.
struct QueuedSample {
  int turn = 0;
  int round = 0;
  std::int64_t device_ns = 0;  // from the gate's opening to the end of all work, as the host's
                               // probe says: a claim that no verdict rests on. Negative: it could
                               // not be queued
};

// One audit batch: `calls` calls revealed at once, answered by one reply. On a GPU a burst
// (docs/channels.md, "Bursts"): no call waits for the one before, and the judge's bracket ends when
// the device is done; inputs are opened before, outputs copied afterwards.
struct BatchSample {
  std::int64_t calls = 0;
  std::int64_t bracket_ns = 0;
  std::int64_t open_ns = 0;       // of a burst: judge's clock around the opening of its inputs
  std::int64_t copy_ns = 0;       // of a burst: judge's clock around the copying of its outputs
  std::int64_t total_ns = 0;      // of a burst: judge's clock from the keys to the copies' end
  std::int64_t first_input = -1;  // of a burst: the others follow it; -1: no burst
  bool counted = true;            // for its time
  int round = 0;
};

}  // namespace cupel
