// One writer at a time: an exclusive flock(2) on RUN_DIR/lock.
#pragma once

#include <filesystem>

#include "base/files.h"
#include "base/result.h"

namespace cupel::journal {

// Held while it lives. The kernel drops the lock when its process dies, however it dies. A child
// process shares the descriptor until its exec has closed it, which may be after posix_spawn()
// returned; so the lock is given up by name, not by closing alone. Not thread-safe.
class RunLock {
 public:
  RunLock(RunLock&&) = default;
  ~RunLock();
  // An input error that names the owner's process if somebody else holds the lock.
  static Result<RunLock> take(const std::filesystem::path& run_dir);

 private:
  explicit RunLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace cupel::journal
