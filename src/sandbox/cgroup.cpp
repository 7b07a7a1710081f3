#include "sandbox/cgroup.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include "base/clock.h"
#include "sandbox/process.h"

namespace cupel::sandbox {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view k_group_prefix = "cupel-";
// A freeze takes the kernel some 80 us where every thread has a core at once: looks are that close
// in its first millisecond. A thread stands still only when it has run as far as out of the kernel,
// so that on a busy machine it may wait for a core for seconds. Looks every 60 us would keep it
// from that core (seen: for 5 s, beside two judges and two busy processes on two cores).
constexpr timespec k_freeze_first_pause{0, 10'000};
constexpr timespec k_freeze_later_pause{0, 1'000'000};
constexpr std::int64_t k_freeze_first_ns = 1'000'000;
// It is given up when the threads have had this much time on cores since, all of it in the kernel;
// or when they have slept there for so long as no disk takes.
constexpr std::int64_t k_freeze_processor_ns_max = 1'000'000'000;
constexpr std::int64_t k_freeze_ns_max = 60'000'000'000;
constexpr std::size_t k_places_named = 3;
// Where the kernel has a frozen thread sleep.
constexpr std::string_view k_frozen_place = "do_freezer_trap", k_frozen_place_v1 = "__refrigerator";
constexpr int k_remove_attempts = 1000;  // a millisecond apart

double seconds(std::int64_t ns) {
  return static_cast<double>(ns) / k_ns_per_s;
}

// R: runs; D: waits for what no signal ends, or stands still; '?': is gone. `at`: its folder in
// /proc.
char state_of(const fs::path& at) {
  std::ifstream file(at / "stat");
  std::string line;
  std::getline(file, line);
  const auto name_end = line.rfind(") ");
  return name_end == std::string::npos ? '?' : line[name_end + 2];
}

// "?" where the kernel does not tell.
std::string first_word(const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  return file >> word ? word : "?";
}

// controller -> our own directory in its hierarchy; "" stands for version 2.
std::map<std::string, std::string> own_groups() {
  std::map<std::string, std::string> groups;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::istringstream names(line.substr(first + 1, second - first - 1));
    if (second == first + 1) groups[""] = line.substr(second + 1);
    for (std::string name; std::getline(names, name, ',');) groups[name] = line.substr(second + 1);
  }
  return groups;
}

// Mount points by controller; version 2 under "".
std::map<std::string, std::string> mount_points() {
  std::map<std::string, std::string> mounts;
  std::ifstream file("/proc/self/mounts");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string device, point, type, options;
    fields >> device >> point >> type >> options;
    if (type == "cgroup2") mounts[""] = point;
    if (type != "cgroup") continue;
    std::istringstream names(options);
    for (std::string name; std::getline(names, name, ',');) mounts[name] = point;
  }
  return mounts;
}

// Our own groups as this machine shows them, by controller; version 2 under "".
class OwnGroups {
 public:
  // Where the hierarchy begins; "" where it is not mounted.
  fs::path root(const std::string& controller) const {
    const auto found = mounts_.find(controller);
    return found == mounts_.end() ? fs::path() : fs::path(found->second);
  }
  // The directory of our own group; "" where the hierarchy is not mounted.
  fs::path home(const std::string& controller) const {
    const auto found = groups_.find(controller);
    const fs::path top = root(controller);
    return top.empty() || found == groups_.end() ? top : fs::path(top.string() + found->second);
  }

 private:
  std::map<std::string, std::string> groups_ = own_groups(), mounts_ = mount_points();
};

bool owner_is_gone(const std::string& name) {
  const auto pid = std::strtol(name.c_str() + k_group_prefix.size(), nullptr, 10);
  return pid > 0 && ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
}

bool write_text(const fs::path& path, const std::string& text) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return fd.valid() &&
         ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// A judge that is killed leaves frozen hosts behind. They are as good as dead, but under version 1
// of the freezer a frozen process does not even die: it keeps its memory until somebody thaws it.
// A member without a number here lives in another pid namespace, and so may the group's owner.
void end_leftover(const fs::path& group) {
  std::vector<pid_t> members;
  std::ifstream listed(group / "cgroup.procs");
  for (pid_t pid = 0; listed >> pid;) members.push_back(pid);
  for (const pid_t pid : members) {
    if (pid <= 0) return;
  }
  for (const pid_t pid : members) ::kill(pid, SIGKILL);
  write_text(group / "freezer.state", "THAWED");
  write_text(group / "cgroup.freeze", "0");
}

// The kernel may need a moment to forget a group's last process.
void remove_group(const fs::path& group) {
  for (int attempt = 0; attempt < k_remove_attempts; ++attempt) {
    if (::rmdir(group.c_str()) == 0 || errno == ENOENT) return;
    ::usleep(1000);
  }
}

// First all are ended, then all removed; what takes longer is left to the next sweep.
void sweep(const fs::path& directory) {
  std::vector<fs::path> leftovers;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(directory, failure)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(k_group_prefix) && owner_is_gone(name)) leftovers.push_back(entry.path());
  }
  for (const auto& group : leftovers) end_leftover(group);
  for (const auto& group : leftovers) remove_group(group);
}

// `directory` if a child group can be made there and has `file`, else "".
fs::path usable(const fs::path& directory, const char* file) {
  const fs::path probe =
      directory / (std::string(k_group_prefix) + std::to_string(::getpid()) + "-probe");
  if (directory.empty() || ::mkdir(probe.c_str(), 0755) != 0) return {};
  const bool works = ::access((probe / file).c_str(), W_OK) == 0;
  ::rmdir(probe.c_str());
  return works ? directory : fs::path();
}

CgroupSupport find_support() {
  const OwnGroups own;
  CgroupSupport support;
  support.freezer = usable(own.home("freezer"), "freezer.state");
  support.memory = usable(own.home("memory"), "memory.limit_in_bytes");
  support.pids = usable(own.home("pids"), "pids.max");
  if (support.freezer.empty()) {
    support.freezer = usable(own.home(""), "cgroup.freeze");
    support.freezer_v2 = !support.freezer.empty();
  }
  if (support.memory.empty()) {
    support.memory = usable(own.home(""), "memory.max");
    support.memory_v2 = !support.memory.empty();
  }
  if (support.pids.empty()) support.pids = usable(own.home(""), "pids.max");
  return support;
}

std::string next_name() {
  static std::atomic<int> counter{0};
  return std::string(k_group_prefix) + std::to_string(::getpid()) + "-" + std::to_string(counter++);
}

// Makes the group and remembers how to join it; "" when it cannot be made.
fs::path make_group(const fs::path& parent, const std::string& name, std::vector<UniqueFd>& procs) {
  if (parent.empty()) return {};
  const fs::path group = parent / name;
  if (::mkdir(group.c_str(), 0755) != 0 && errno != EEXIST) return {};
  UniqueFd fd(::open((group / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.valid()) return {};
  procs.push_back(std::move(fd));
  return group;
}

std::int64_t counter_in(const fs::path& file, std::string_view key) {
  std::ifstream lines(file);
  std::string name;
  for (std::int64_t value = 0; lines >> name >> value;) {
    if (name == key) return value;
  }
  return 0;
}

}  // namespace

std::optional<std::int64_t> least_on_the_way(fs::path directory, const fs::path& root,
                                             const char* name) {
  std::optional<std::int64_t> least;
  for (;;) {
    std::ifstream file(directory / name);  // "max" is no number, and no limit
    if (std::int64_t bytes = 0; file >> bytes && bytes > 0) {
      least = std::min(least.value_or(bytes), bytes);
    }
    if (directory == root || !directory.has_relative_path()) return least;
    directory = directory.parent_path();
  }
}

// In a container the group's name may be one of the machine's, which is not there: then the
// container's own, at the mount point, is what is left.
std::optional<std::int64_t> memory_limit_bytes() {
  const OwnGroups own;
  std::optional<std::int64_t> least;
  for (const auto& [controller, name] :
       {std::pair("", "memory.max"), std::pair("memory", "memory.limit_in_bytes")}) {
    const fs::path root = own.root(controller);
    if (root.empty()) continue;
    const fs::path group = own.home(controller).lexically_normal();
    const auto found = least_on_the_way(lies_in(group, root) ? group : root, root, name);
    if (found) least = std::min(least.value_or(*found), *found);
  }
  return least;
}

const CgroupSupport& cgroup_support() {
  static const CgroupSupport support = [] {
    CgroupSupport found = find_support();
    sweep_leftovers(found);
    return found;
  }();
  return support;
}

void sweep_leftovers(const CgroupSupport& support) {
  for (const auto* directory : {&support.freezer, &support.memory, &support.pids}) {
    if (!directory->empty()) sweep(*directory);
  }
}

Cgroup Cgroup::create(std::uint64_t memory_bytes_max, int processes_max) {
  const CgroupSupport& support = cgroup_support();
  const std::string name = next_name();
  Cgroup group;
  group.freezer_ = make_group(support.freezer, name, group.procs_);
  if (!group.freezer_.empty()) {
    const char* state = support.freezer_v2 ? "cgroup.freeze" : "freezer.state";
    group.freezer_state_.reset(::open((group.freezer_ / state).c_str(), O_RDWR | O_CLOEXEC));
    if (support.freezer_v2) {
      group.freezer_events_.reset(
          ::open((group.freezer_ / "cgroup.events").c_str(), O_RDONLY | O_CLOEXEC));
    }
  }
  group.memory_ = make_group(support.memory, name, group.procs_);
  group.pids_ = make_group(support.pids, name, group.procs_);
  if (!group.memory_.empty()) {
    const char* limit = support.memory_v2 ? "memory.max" : "memory.limit_in_bytes";
    write_text(group.memory_ / limit, std::to_string(memory_bytes_max));
  }
  if (!group.pids_.empty()) write_text(group.pids_ / "pids.max", std::to_string(processes_max));
  return group;
}

Cgroup& Cgroup::operator=(Cgroup&& other) noexcept {
  if (this != &other) {
    remove();
    freezer_ = std::move(other.freezer_);
    memory_ = std::move(other.memory_);
    pids_ = std::move(other.pids_);
    freezer_state_ = std::move(other.freezer_state_);
    freezer_events_ = std::move(other.freezer_events_);
    procs_ = std::move(other.procs_);
    frozen_ = other.frozen_;
    other.freezer_.clear();
    other.memory_.clear();
    other.pids_.clear();
  }
  return *this;
}

Cgroup::~Cgroup() {
  remove();
}

void Cgroup::remove() {
  procs_.clear();
  for (const auto* group : {&freezer_, &memory_, &pids_}) {
    if (!group->empty()) remove_group(*group);
  }
}

std::vector<int> Cgroup::join_fds() const {
  std::vector<int> fds;
  for (const auto& fd : procs_) fds.push_back(fd.get());
  return fds;
}

bool Cgroup::says_frozen() const {
  const bool v2 = freezer_events_.valid();
  const std::string_view done = v2 ? "frozen 1" : "FROZEN";
  char text[128];
  const ssize_t got =
      ::pread(v2 ? freezer_events_.get() : freezer_state_.get(), text, sizeof text, 0);
  return got > 0 &&
         std::string_view(text, static_cast<std::size_t>(got)).find(done) != std::string_view::npos;
}

std::string Cgroup::freeze(Patience patience) {
  if (frozen_) return "";
  const std::string_view command = freezer_events_.valid() ? "1" : "FROZEN";
  if (::pwrite(freezer_state_.get(), command.data(), command.size(), 0) < 0) {
    return std::string("the kernel refuses: ") + std::strerror(errno);
  }
  const SystemClock clock;
  const std::int64_t since_ns = clock.now_ns();
  std::optional<std::int64_t> used_before_ns;
  while (!says_frozen()) {
    const std::int64_t waited_ns = clock.now_ns() - since_ns;
    const bool first = waited_ns < k_freeze_first_ns;
    const timespec& pause = first ? k_freeze_first_pause : k_freeze_later_pause;
    ::clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
    if (first) continue;
    const std::int64_t used_ns = processor_ns();
    if (!used_before_ns) used_before_ns = used_ns;
    const std::int64_t spent_ns = used_ns - *used_before_ns;
    const bool spent = patience == Patience::little && spent_ns > k_freeze_processor_ns_max;
    if (spent || waited_ns > k_freeze_ns_max) {
      const std::string where = places();
      thaw();
      return fmt::format(
          "threads of its stayed in the kernel for {:.1f} s, {:.1f} s of them on cores: {}",
          seconds(waited_ns), seconds(spent_ns), where);
    }
  }
  frozen_ = true;
  return "";
}

std::vector<pid_t> Cgroup::threads() const {
  std::ifstream file(freezer_ / (freezer_events_.valid() ? "cgroup.threads" : "tasks"));
  std::vector<pid_t> threads;
  for (pid_t thread = 0; file >> thread;) threads.push_back(thread);
  return threads;
}

std::int64_t Cgroup::processor_ns() const {
  std::int64_t total = 0;
  for (const pid_t thread : threads()) total += sandbox::processor_ns(thread).value_or(0);
  return total;
}

// Those not known to be frozen: of some kernels frozen ones keep the place at which they slept. Who
// runs is named first, then who cannot be woken.
std::string Cgroup::places() const {
  std::vector<std::string> running, waiting, others;
  for (const pid_t thread : threads()) {
    const fs::path at = fs::path("/proc") / std::to_string(thread);
    const std::string place = first_word(at / "wchan");
    if (place == k_frozen_place || place == k_frozen_place_v1) continue;
    const std::string name = first_word(at / "comm");
    const char state = state_of(at);
    if (state == '?') continue;
    if (state == 'R') {
      running.push_back(name + " runs there");
      continue;
    }
    (state == 'D' ? waiting : others)
        .push_back(fmt::format("{} ({}) in system call {} ({})", name, state,
                               first_word(at / "syscall"), place));
  }
  std::vector<std::string>& found = running;
  found.insert(found.end(), waiting.begin(), waiting.end());
  found.insert(found.end(), others.begin(), others.end());
  if (found.size() > k_places_named) found.resize(k_places_named);
  return found.empty() ? "all sleep as frozen ones do" : fmt::format("{}", fmt::join(found, ", "));
}

void Cgroup::thaw() {
  if (!can_freeze()) return;
  const std::string_view command = freezer_events_.valid() ? "0" : "THAWED";
  [[maybe_unused]] const ssize_t put =
      ::pwrite(freezer_state_.get(), command.data(), command.size(), 0);
  frozen_ = false;
}

std::int64_t Cgroup::out_of_memory_kills() const {
  if (memory_.empty()) return 0;
  const char* file = cgroup_support().memory_v2 ? "memory.events" : "memory.oom_control";
  return counter_in(memory_ / file, "oom_kill");
}

}  // namespace cupel::sandbox
