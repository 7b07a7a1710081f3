// The jail around one untrusted process tree: bubblewrap namespaces, a cgroup where this machine
// lets us, resource limits, one socket. docs/threat_model.md says what it keeps in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "sandbox/cgroup.h"
#include "sandbox/process.h"

namespace cupel::sandbox {

// What this machine and the user's choice give. `none` must be asked for.
enum class Grade {
  full,        // namespaces and cgroups: freezing, memory and process limits by the kernel
  namespaces,  // namespaces; freezing by signals, memory by rlimit, processes by watching
  none,        // --sandbox=none: an ordinary child process
};
std::string_view to_string(Grade grade);

// "full", "namespaces" for bwrap if it works here; an environment error that says what to
// install or to pass when it does not. Tries once a process.
Result<Grade> probe_grade(bool want_none);

struct Bind {
  std::filesystem::path from;  // outside
  std::filesystem::path to;    // inside; "" means the same path
  bool writable = false;
  bool device = false;  // a device node that may be used as one
};

struct JailRequest {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // complete
  std::vector<Bind> binds;               // beside the system directories
  std::string work_directory;            // outside; used instead of /work when not jailed
  int socket_fd = -1;                    // inherited as k_jail_socket_fd; -1: none
  std::uint64_t memory_bytes_max = 0;
  std::uint64_t scratch_bytes_max = 0;  // each of /tmp, /work and /dev/shm
  int processes_max = 0;
  bool unjailed = false;  // --sandbox=none
};

// The descriptor number under which a jailed process finds its socket.
inline constexpr int k_jail_socket_fd = 3;

// A running jail. Everything in it dies with this object. Not thread-safe.
class Jail {
 public:
  static Result<Jail> start(const JailRequest& request);
  Jail(Jail&&) noexcept = default;
  Jail& operator=(Jail&&) noexcept = default;
  ~Jail();

  // Stops or continues every process inside. Idempotent.
  void freeze();
  void thaw();
  // Ends every process inside and reaps.
  void kill();
  std::optional<ExitStatus> poll_exit() { return process_.poll_exit(); }
  // Readable when the jail has ended.
  int exit_fd() const { return process_.pid_fd(); }
  // Both output streams of the jailed process; non-blocking.
  int output_fd() const { return output_.get(); }
  bool out_of_memory() const { return cgroup_.out_of_memory_kills() > 0; }
  // Enforces what no cgroup enforces here: "" or the limit that was broken, in words.
  std::string watch_limits();

 private:
  Jail(Process process, Cgroup cgroup, UniqueFd output, const JailRequest& request);
  Cgroup cgroup_;  // outlives the process: destroyed after it
  Process process_;
  UniqueFd output_;
  std::vector<pid_t> stopped_;
  std::uint64_t memory_bytes_max_ = 0;
  int processes_max_ = 0;
  bool frozen_ = false;
};

// Runs a tool to its end in a jail of its own; see run_tool().
Result<ToolRun> run_in_jail(const JailRequest& request, std::string_view input, double seconds_max,
                            std::size_t output_bytes_max);

}  // namespace cupel::sandbox
