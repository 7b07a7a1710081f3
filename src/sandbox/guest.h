// A process in a jail that was not started there: its keeper, outside, is its parent and tells how
// it ended (python/cupel/fork_server.py).
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "sandbox/process.h"

namespace cupel::sandbox {

// Killed on destruction, with its keeper. Not thread-safe.
class Guest {
 public:
  // `status`: the reading end of the pipe to which the keeper writes the guest's exit code.
  Guest(pid_t keeper, UniqueFd status);
  Guest(Guest&&) noexcept = default;
  Guest& operator=(Guest&&) = delete;
  ~Guest();

  // How the guest ended, if it has; SIGKILL when its keeper was killed before it could tell.
  std::optional<ExitStatus> poll_exit();
  // The keeper and all that descends from it; empty once it has ended.
  std::vector<pid_t> processes();
  // Sends a signal to all but the keeper, from any thread.
  void signal(int number) const;
  // Kills all but the keeper and returns at once. A frozen guest ends when it is thawed.
  void signal_kill();
  // The same, and waits until the keeper has reaped the guest: as a zombie without a parent it
  // would hold its PID namespace until the machine's init comes by, seconds later on some machines.
  void kill();

 private:
  pid_t keeper_ = -1;
  UniqueFd keeper_fd_;  // pidfd: a process id may be another's by now
  UniqueFd status_;
  std::optional<ExitStatus> exit_;
};

// Descriptors of the namespaces of `pid` that differ from ours, in the order in which a process
// joins them: the user namespace that owns the others first, the process's own one last.
Result<std::vector<UniqueFd>> namespaces_of(pid_t pid);

}  // namespace cupel::sandbox
