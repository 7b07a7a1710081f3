// Child processes: spawned with exactly the descriptors that are named, killed for sure.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace cupel::sandbox {

// Soft and hard limits of a child; 0 leaves a limit as it is. It never dumps core.
struct ResourceLimits {
  std::uint64_t data_bytes_max = 0;   // RLIMIT_DATA: private writable memory
  std::uint64_t file_bytes_max = 0;   // RLIMIT_FSIZE
  std::uint64_t descriptors_max = 0;  // RLIMIT_NOFILE
};

struct SpawnRequest {
  std::vector<std::string> argv;             // argv[0] is looked up in PATH
  std::vector<std::string> environment;      // "NAME=value", complete: nothing is inherited
  std::vector<std::pair<int, int>> inherit;  // (ours, the child's number); all others are closed
  std::vector<std::pair<std::string, int>> files;  // (bytes, the child's number), read-only there
  int output_fd = -1;                              // becomes stdout and stderr; -1: /dev/null
  std::vector<int> join_cgroups;                   // descriptors of cgroup.procs files
  ResourceLimits limits;
  std::string directory;  // working directory; "" keeps ours
  // It ends by itself when a descriptor of ours closes. Others end with the thread that made them.
  bool outlives_thread = false;
};

// How a process ended.
struct ExitStatus {
  int code = 0;    // exit code when signal is 0
  int signal = 0;  // number of the signal that killed it, or 0
};
std::string describe(const ExitStatus& status);

// Owns one child: killed (SIGKILL) and reaped on destruction. The child dies with us.
class Process {
 public:
  static Result<Process> spawn(const SpawnRequest& request);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  // -1 once it is reaped: the number may be a stranger's by then.
  pid_t pid() const { return reaped_ ? -1 : pid_; }
  // Its status if it has ended by now. It is not reaped before kill_and_reap(): its number, and its
  // group's, stay its own, so that a signal to them reaches no stranger.
  std::optional<ExitStatus> poll_exit();
  void signal(int number) const;
  void kill_and_reap();

 private:
  explicit Process(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
  std::optional<ExitStatus> exit_;
  bool reaped_ = false;
};

// How a process (or a jail's) that has closed its socket ended: the kernel, which closes sockets
// first, is given two seconds to be done with it. Nothing if it goes on.
template <class AnyProcess>
std::optional<ExitStatus> await_exit(AnyProcess& process) {
  constexpr int k_grace_ms = 2000;
  auto status = process.poll_exit();
  for (int waited_ms = 0; !status && waited_ms < k_grace_ms; ++waited_ms) {
    ::usleep(1000);
    status = process.poll_exit();
  }
  return status;
}

// Time on a core that a thread has had (a process's id stands for its first), in nanoseconds; what
// it waited for one does not count. Nothing where the kernel does not tell.
std::optional<std::int64_t> processor_ns(pid_t thread);

// All live descendants of `root`, itself first. Racy by nature: a snapshot of /proc.
std::vector<pid_t> process_tree(pid_t root);

// Runs a tool to its end, or for `seconds_max`, whatever it does with its streams. `input` is a
// file on its stdin. Of stdout and stderr together at most `output_bytes_max` are kept.
struct ToolRun {
  ExitStatus status;
  std::string output;
  bool timed_out = false;
};
Result<ToolRun> run_tool(SpawnRequest request, std::string_view input, double seconds_max,
                         std::size_t output_bytes_max);

// Our own environment's value, or `fallback`.
std::string environment_or(const char* name, const std::string& fallback);

}  // namespace cupel::sandbox
