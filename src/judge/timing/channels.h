// Ways to see a gain, by the judge's own clock. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "judge/timing/readings.h"
#include "model/evidence.h"

namespace cupel::judge {

// What one channel shows of a gain. Nanoseconds a call.
struct Channel {
  std::string_view name;  // for people: "in warm calls"
  double gained_ns = 0;   // what is to be shown
  double shown_ns = 0;    // what it shows
  double error_ns = 0;    // one standard error of that, as far as it counts
  double hidden_ns = 0;   // what a host of another making could have hidden there
  bool must_show = true;  // else it is only asked not to deny

  double needed_ns() const;
  bool shows() const;
};

// Those that the evidence has of the program's gain over `over`, of so many nanoseconds a call: the
// timed calls; on a GPU bursts, on the CPU batches (docs/channels.md).
std::vector<Channel> channels_of(const ProgramEvidence& program, const ProgramEvidence& over,
                                 const Readings& readings, double gained_ns);

}  // namespace cupel::judge
