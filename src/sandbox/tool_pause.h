// Stops the tools that run_tool() has running, compilers mostly, while something is timed.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace cupel::sandbox {

// For the whole process; thread-safe. What is started during a pause waits for its end.
void pause_tools();
void resume_tools();

// Makes a running tool, with all its descendants, known to the above while it lives.
class PausableTool {
 public:
  explicit PausableTool(pid_t root);
  ~PausableTool();
  // How long it has been stopped so far: time that is none of its own.
  std::int64_t paused_ns() const;
  PausableTool(const PausableTool&) = delete;
  PausableTool& operator=(const PausableTool&) = delete;

 private:
  pid_t root_;
  std::int64_t paused_before_ns_;  // by all pauses, when it was started
};

}  // namespace cupel::sandbox
