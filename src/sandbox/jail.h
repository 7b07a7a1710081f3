// The jail around one untrusted process tree: bubblewrap namespaces, a cgroup where this machine
// lets us, resource limits, one socket. docs/threat_model.md says what it keeps in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/first_text.h"
#include "base/result.h"
#include "sandbox/cgroup.h"
#include "sandbox/guest.h"
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
  bool hidden = false;  // below another bind: nothing of it is seen inside but that it is there
};

// A jail's private home and working directory, as a process in it sees it: like many a user's.
inline constexpr const char* k_work_in_jail = "/home/user";
inline constexpr const char* k_host_in_jail = "localhost";

struct JailRequest {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // "NAME=value", complete but for a PATH; nothing secret
  std::vector<Bind> binds;               // beside the system directories
  std::string home = k_work_in_jail;     // inside; where argv starts
  std::string host_name = k_host_in_jail;
  std::string work_directory;           // outside; used instead of home when not jailed
  int socket_fd = -1;                   // inherited as k_jail_socket_fd; -1: none
  int second_socket_fd = -1;            // as k_jail_second_socket_fd
  std::uint64_t memory_bytes_max = 0;   // of all processes, shared memory included
  std::uint64_t data_bytes_max = 0;     // of one, what it shares left out; 0: the same
  std::uint64_t scratch_bytes_max = 0;  // each of /tmp, home and /dev/shm
  int processes_max = 0;
  bool unjailed = false;  // --sandbox=none
};

// What a process that runs already needs to enter a jail: descriptors, which the jail owns.
struct Entrance {
  std::vector<int> namespaces;  // in the order of joining; empty when unjailed
  std::vector<int> cgroups;     // cgroup.procs files to write "0" to
  int output_fd = -1;           // for stdout and stderr
  ResourceLimits limits;
  std::string directory;  // to change to, once inside
};

// The descriptor number under which a jailed process finds its socket.
inline constexpr int k_jail_socket_fd = 3;
inline constexpr int k_jail_second_socket_fd = 4;

// A running jail. Everything in it dies with this object. Not thread-safe.
class Jail {
 public:
  static Result<Jail> start(const JailRequest& request);
  // A jail with nobody in it but a process that waits (argv and socket_fd are not used): see
  // entrance() and adopt(). Takes some 15 ms.
  static Result<Jail> reserve(const JailRequest& request);
  Jail(Jail&&) noexcept = default;
  Jail& operator=(Jail&&) = delete;
  ~Jail();

  // How another process comes into a reserved jail. Valid until adopt().
  Entrance entrance() const;
  // The process `keeper`, outside, has a child inside; at the child's end it writes the exit code
  // to the pipe `status`, in decimal. From now on poll_exit() is about that child.
  void adopt(pid_t keeper, UniqueFd status);

  // Stops or continues every process inside. Idempotent. Processes that the control group cannot
  // freeze, since they stay inside the kernel, are ended; unstoppable() then says where, for good
  // and to any thread.
  void freeze(Patience patience = Patience::little);
  void thaw();
  bool frozen() const { return frozen_; }
  std::string unstoppable() const { return unstoppable_->get(); }
  // The first process inside that is not the jail's own, by its id out here; -1: there is none.
  pid_t program();
  // Sends a signal to every process inside, from any thread; where one was adopted, to that and its
  // descendants.
  void signal(int number) const;
  // Ends every process inside and reaps.
  void kill();
  std::optional<ExitStatus> poll_exit();
  // Both output streams of the jailed process; non-blocking.
  int output_fd() const { return output_.get(); }
  // Bytes of memory that the inside processes hold: anonymous pages, swapped ones too, and what
  // they map of shared memory, which counts once a process; no files.
  std::int64_t memory_bytes();
  bool out_of_memory() const { return cgroup_.out_of_memory_kills() > 0; }
  // Enforces what no cgroup enforces here: "" or the limit that was broken, in words.
  std::string watch_limits();

 private:
  Jail(Cgroup cgroup, UniqueFd output, UniqueFd child_output, const JailRequest& request);
  static Result<Jail> make(const JailRequest& request);
  bool holds_process() const;
  std::vector<pid_t> processes();
  Status hold(const JailRequest& request);

  Cgroup cgroup_;                   // outlives the processes: destroyed after them
  std::optional<Process> process_;  // bwrap, or the unjailed program itself
  std::optional<Guest> guest_;      // who came in from outside
  std::vector<UniqueFd> namespaces_;
  UniqueFd control_;  // of the waiting process: its end is the jail's
  UniqueFd init_;     // pidfd of a reserved jail's first process, the last to end
  UniqueFd output_;
  UniqueFd child_output_;
  std::vector<pid_t> stopped_;
  ResourceLimits limits_;
  std::string directory_;
  std::uint64_t memory_bytes_max_ = 0;
  int processes_max_ = 0;
  bool frozen_ = false;
  std::unique_ptr<FirstText> unstoppable_ = std::make_unique<FirstText>();
  bool unjailed_ = false;
};

// Runs a tool to its end in a jail of its own; see run_tool().
Result<ToolRun> run_in_jail(const JailRequest& request, std::string_view input, double seconds_max,
                            std::size_t output_bytes_max);

}  // namespace cupel::sandbox
