// Control groups where this machine lets us make them: freeze, memory and process limits.
// Both layouts are served: version 1 (one hierarchy a controller) and version 2.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace cupel::sandbox {

// Which controllers we may use here, found by trying.
struct CgroupSupport {
  std::filesystem::path freezer;  // directory to make groups in; "" if not writable
  std::filesystem::path memory;
  std::filesystem::path pids;
  bool freezer_v2 = false;
  bool memory_v2 = false;
};
// Looks once a process, and sweeps then; later calls return the same.
const CgroupSupport& cgroup_support();

// The least limit of memory that holds for our own group, in bytes: its own, or that of a group
// above it, as batch systems and service managers set them. Nothing where there is none.
std::optional<std::int64_t> memory_limit_bytes();

// The least number in files of this name, in `directory` and those above it up to `root`.
std::optional<std::int64_t> least_on_the_way(std::filesystem::path directory,
                                             const std::filesystem::path& root, const char* name);

// Ends the processes and removes the groups that killed Cupels left behind.
void sweep_leftovers(const CgroupSupport& support);

// How long is waited until threads leave the kernel: until they have had a second on cores there;
// or, where they may wait on these for others, as when a GPU's driver makes contexts for several
// processes, for a minute.
enum class Patience { little, much };

// One group; removed on destruction (its processes must be gone by then). Not thread-safe.
class Cgroup {
 public:
  // Never fails: what no controller does here the group cannot do.
  static Cgroup create(std::uint64_t memory_bytes_max, int processes_max);
  Cgroup(Cgroup&&) noexcept = default;
  Cgroup& operator=(Cgroup&&) noexcept;
  ~Cgroup();

  bool can_freeze() const { return freezer_state_.valid(); }
  bool limits_memory() const { return !memory_.empty(); }
  bool limits_processes() const { return !pids_.empty(); }
  // Descriptors of cgroup.procs, for SpawnRequest::join_cgroups. Owned by this object.
  std::vector<int> join_fds() const;
  // Returns when every process of the group stands still, which on a busy machine may take seconds:
  // "". Else it stays thawed, and this says why: for how long which threads stayed in which calls.
  // Only where can_freeze().
  std::string freeze(Patience patience);
  void thaw();
  // Times the kernel killed a process of this group for want of memory.
  std::int64_t out_of_memory_kills() const;

 private:
  Cgroup() = default;
  bool says_frozen() const;
  std::vector<pid_t> threads() const;
  // Time on cores that the group's threads have had, in nanoseconds.
  std::int64_t processor_ns() const;
  // Where in the kernel they are, of some that do not stand still.
  std::string places() const;
  void remove();
  std::filesystem::path freezer_;
  std::filesystem::path memory_;
  std::filesystem::path pids_;
  UniqueFd freezer_state_;   // freezer.state (v1) or cgroup.freeze (v2)
  UniqueFd freezer_events_;  // cgroup.events (v2)
  std::vector<UniqueFd> procs_;
  bool frozen_ = false;
};

}  // namespace cupel::sandbox
