// Stops the tools that run_tool() has running, compilers mostly, while something is timed.
#pragma once

#include <sys/types.h>

#include "base/deadline.h"

namespace cupel::sandbox {

// For the whole process; thread-safe. What is started during a pause waits for its end.
void pause_tools();
void resume_tools();

// Makes a running tool, with all its descendants, known to the above while it lives.
class PausableTool {
 public:
  explicit PausableTool(pid_t root);
  ~PausableTool();
  // When it, like all others, was stopped. Valid to the end of the process.
  static const Pauses& pauses();
  PausableTool(const PausableTool&) = delete;
  PausableTool& operator=(const PausableTool&) = delete;

 private:
  pid_t root_;
};

}  // namespace cupel::sandbox
