// Waiting behind a narrow interface, so that tests of pauses take no time.
#pragma once

#include "base/stop.h"

namespace cupel::llm {

// Thread-safe.
class Sleeper {
 public:
  virtual ~Sleeper() = default;
  // False, and early, once `stop` is raised.
  virtual bool sleep_s(double seconds, const StopFlag& stop) = 0;
};

class SystemSleeper final : public Sleeper {
 public:
  bool sleep_s(double seconds, const StopFlag& stop) override;
};

}  // namespace cupel::llm
