#include "sandbox/jail.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/files.h"
#include "sandbox/system_calls.h"

namespace cupel::sandbox {
namespace fs = std::filesystem;
namespace {

constexpr double k_probe_seconds_max = 10;
constexpr std::size_t k_probe_output_bytes_max = 4096;
constexpr std::uint64_t k_probe_scratch_bytes = 1 << 20;
constexpr int k_pipe_bytes = 1 << 18;
// The first one of a machine's people, on most systems.
constexpr const char* k_user_in_jail = "1000";
constexpr int k_teardown_ms_max = 2000;
// An honest program has a few hundred. Descriptors in flight between sockets are bounded by this
// too, and with them the work of the kernel's collector, which does it while the program stands
// still.
constexpr std::uint64_t k_descriptors_max = 1000;
// Before the program come bubblewrap's two processes, or its keeper.
constexpr std::size_t k_processes_of_bubblewrap = 2;
constexpr std::size_t k_processes_of_keeper = 1;

std::vector<std::string> minimal_environment() {
  return {"PATH=/usr/local/bin:/usr/bin:/bin"};
}

// /bin, /lib and so on are links into /usr on merged systems and directories on others.
void bind_system(std::vector<std::string>& argv) {
  for (const char* path : {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"}) {
    std::error_code failure;
    if (fs::is_symlink(path, failure)) {
      argv.insert(argv.end(), {"--symlink", fs::read_symlink(path).string(), path});
    } else if (fs::is_directory(path, failure)) {
      argv.insert(argv.end(), {"--ro-bind", path, path});
    }
  }
  for (const char* path : {"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
                           "/etc/alternatives", "/etc/localtime", "/sys/devices/system/cpu"}) {
    argv.insert(argv.end(), {"--ro-bind-try", path, path});
  }
}

bool is_on_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream directories(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string directory; std::getline(directories, directory, ':');) {
    if (::access((directory + "/" + name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// The system's bubblewrap, else the one that a bundle carries.
std::string find_bubblewrap() {
  std::error_code failure;
  const fs::path self = fs::read_symlink("/proc/self/exe", failure);
  const fs::path carried = self.parent_path().parent_path() / "libexec/cupel/bwrap";
  if (is_on_path("bwrap") || !fs::exists(carried, failure)) return "bwrap";
  return carried.string();
}

const std::string& bubblewrap() {
  static const std::string path = find_bubblewrap();
  return path;
}

void add_scratch(std::vector<std::string>& argv, const JailRequest& request) {
  const std::string size = std::to_string(request.scratch_bytes_max);
  for (const std::string& path : {std::string("/tmp"), request.home, std::string("/dev/shm")}) {
    argv.insert(argv.end(), {"--size", size, "--tmpfs", path});
  }
}

bool has_device(const JailRequest& request) {
  return std::any_of(request.binds.begin(), request.binds.end(),
                     [](const Bind& bind) { return bind.device; });
}

// Of processes, each has a directory; links lead there. The rest of /proc is the kernel's.
bool is_of_process(const fs::directory_entry& entry) {
  std::error_code failure;
  const std::string name = entry.path().filename().string();
  return name.find_first_not_of("0123456789") == std::string::npos || entry.is_symlink(failure);
}

// Files that nobody may write stay the jail's own, which tell of nobody outside: through a mount
// from outside, /proc/locks names everybody's.
bool is_writable(const fs::directory_entry& entry) {
  std::error_code failure;
  constexpr auto writers =
      fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  return entry.is_directory(failure) ||
         (entry.status(failure).permissions() & writers) != fs::perms::none;
}

// The kernel's settings below /proc belong to root, whose number a jail may have. What belongs to
// processes is writable beside a device: CUDA names its threads there (/proc/PID/task/TID/comm) and
// does not start where it cannot.
void protect_proc(const JailRequest& request, std::vector<std::string>& argv) {
  if (!has_device(request)) {
    argv.insert(argv.end(), {"--remount-ro", "/proc"});
    return;
  }
  argv.insert(argv.end(), {"--ro-bind", "/proc/sys", "/proc/sys"});  // no jail where that fails
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator("/proc", failure)) {
    if (is_of_process(entry) || !is_writable(entry)) continue;
    argv.insert(argv.end(), {"--ro-bind-try", entry.path().string(), entry.path().string()});
  }
}

// bwrap itself gets none of it: what is preloaded inside does not lie there outside. It stands in
// bwrap's command line, which others on this machine can read: nothing in it is secret.
void set_environment(const std::vector<std::string>& environment, std::vector<std::string>& argv) {
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    argv.insert(argv.end(), {"--setenv", entry.substr(0, equals), entry.substr(equals + 1)});
  }
}

// Where bwrap finds the filter of system calls.
constexpr int k_filter_fd = 5;

void add_filter(SpawnRequest& spawn) {
  const std::string_view filter = system_call_filter();
  if (!filter.empty()) spawn.files.emplace_back(std::string(filter), k_filter_fd);
}

std::string place_of(const Bind& bind) {
  return bind.to.empty() ? bind.from : bind.to;
}

bool hides_directory(const Bind& bind) {
  std::error_code unknown;
  return bind.hidden && fs::is_directory(bind.from, unknown);
}

void add_bind(const Bind& bind, std::vector<std::string>& argv) {
  const std::string to = place_of(bind);
  if (hides_directory(bind)) {
    argv.insert(argv.end(), {"--tmpfs", to});
  } else if (bind.hidden) {
    argv.insert(argv.end(), {"--ro-bind", "/dev/null", to});
  } else {
    const char* const way = bind.writable ? "--bind" : "--ro-bind";
    argv.insert(argv.end(), {bind.device ? "--dev-bind" : way, bind.from, to});
  }
}

// Hidden directories are closed once all binds are there: a later one may lie in them, such as the
// Python of a project's .venv, and needs a place to be mounted on. One may cover them as well.
void add_binds(const std::vector<Bind>& binds, std::vector<std::string>& argv) {
  for (const Bind& bind : binds) add_bind(bind, argv);
  for (auto at = binds.begin(); at != binds.end(); ++at) {
    const auto covers = [at](const Bind& later) { return lies_in(place_of(*at), place_of(later)); };
    if (!hides_directory(*at) || std::any_of(at + 1, binds.end(), covers)) continue;
    argv.insert(argv.end(), {"--remount-ro", place_of(*at)});
  }
}

// `info_fd`: where bwrap writes, as JSON, which process is the jail's; -1: nowhere.
std::vector<std::string> jail_command(const JailRequest& request, int info_fd = -1) {
  std::vector<std::string> argv{bubblewrap(),      "--unshare-all", "--die-with-parent",
                                "--new-session",   "--uid",         k_user_in_jail,
                                "--gid",           k_user_in_jail,  "--hostname",
                                request.host_name, "--cap-drop",    "ALL"};
  if (!system_call_filter().empty()) {
    argv.insert(argv.end(), {"--seccomp", std::to_string(k_filter_fd)});
  }
  if (info_fd >= 0) argv.insert(argv.end(), {"--info-fd", std::to_string(info_fd)});
  bind_system(argv);
  argv.insert(argv.end(), {"--proc", "/proc", "--dev", "/dev"});
  add_scratch(argv, request);
  add_binds(request.binds, argv);
  protect_proc(request, argv);
  set_environment(request.environment, argv);
  argv.insert(argv.end(),
              {"--remount-ro", "/dev", "--remount-ro", "/", "--chdir", request.home, "--"});
  argv.insert(argv.end(), request.argv.begin(), request.argv.end());
  return argv;
}

ResourceLimits limits_of(const JailRequest& request) {
  ResourceLimits limits;
  limits.data_bytes_max =
      request.data_bytes_max > 0 ? request.data_bytes_max : request.memory_bytes_max;
  limits.file_bytes_max = request.scratch_bytes_max;
  limits.descriptors_max = k_descriptors_max;
  return limits;
}

// `info_fd`: as in jail_command().
SpawnRequest spawn_request(const JailRequest& request, const Cgroup& cgroup, int info_fd = -1) {
  SpawnRequest spawn;
  spawn.argv = request.unjailed ? request.argv : jail_command(request, info_fd);
  spawn.environment = request.unjailed ? request.environment : minimal_environment();
  spawn.limits = limits_of(request);
  spawn.join_cgroups = cgroup.join_fds();
  if (request.unjailed) {
    spawn.directory = request.work_directory;
  } else {
    add_filter(spawn);
  }
  if (request.socket_fd >= 0) spawn.inherit.emplace_back(request.socket_fd, k_jail_socket_fd);
  if (request.second_socket_fd >= 0) {
    spawn.inherit.emplace_back(request.second_socket_fd, k_jail_second_socket_fd);
  }
  return spawn;
}

// Says that the jail is made, then waits for the judge to close the other end.
const std::vector<std::string> k_waiting_program{"sh", "-c", "echo >&3; exec cat <&3 >/dev/null"};
constexpr int k_info_fd = 4;

// Waits for the line of k_waiting_program. False: the jail was not made.
bool wait_for_line(int socket) {
  pollfd waiting{socket, POLLIN, 0};
  char line = 0;
  return ::poll(&waiting, 1, static_cast<int>(1e3 * k_probe_seconds_max)) == 1 &&
         ::read(socket, &line, 1) == 1;
}

// A PID namespace is empty once its first process has ended, which bwrap's own end only sets off.
void wait_for_end(int init) {
  if (init < 0) return;
  pollfd ended{init, POLLIN, 0};
  ::poll(&ended, 1, k_teardown_ms_max);
}

// The number after "child-pid" in what bwrap writes; -1 if there is none.
pid_t child_in(int info) {
  char text[1024] = {};
  if (::read(info, text, sizeof text - 1) <= 0) return -1;
  const std::string_view key = "\"child-pid\":";
  const auto at = std::string_view(text).find(key);
  return at == std::string_view::npos ? -1 : std::atoi(text + at + key.size());
}

Result<Grade> find_grade() {
  JailRequest request;
  request.argv = {"true"};
  request.environment = minimal_environment();
  request.scratch_bytes_max = k_probe_scratch_bytes;
  SpawnRequest spawn;
  spawn.argv = jail_command(request);
  spawn.environment = request.environment;
  add_filter(spawn);
  auto run = run_tool(spawn, "", k_probe_seconds_max, k_probe_output_bytes_max);
  if (!run || run->status.code != 0 || run->status.signal != 0) {
    const std::string said = run && !run->output.empty() ? run->output : "bwrap is not installed";
    return environment_error("the sandbox does not work on this machine: " + said, "bwrap",
                             "apt-get install bubblewrap, allow user namespaces, or pass "
                             "--sandbox=none to judge without one");
  }
  const CgroupSupport& support = cgroup_support();
  const bool kernel_limits =
      !support.freezer.empty() && !support.memory.empty() && !support.pids.empty();
  return kernel_limits ? Grade::full : Grade::namespaces;
}

std::uint64_t resident_bytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Of /proc/PID/status: lines such as "RssAnon:     156 kB". 0 for a process that is gone.
std::int64_t own_bytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  std::int64_t total_kb = 0;
  for (std::string word; file >> word;) {
    std::int64_t kb = 0;
    const bool counts = word == "RssAnon:" || word == "RssShmem:" || word == "VmSwap:";
    if (counts && file >> kb) total_kb += kb;
  }
  return total_kb * 1024;
}

}  // namespace

std::string_view to_string(Grade grade) {
  switch (grade) {
    case Grade::full:
      return "full";
    case Grade::namespaces:
      return "namespaces";
    case Grade::none:
      return "none";
  }
  return "none";
}

Result<Grade> probe_grade(bool want_none) {
  if (want_none) return Grade::none;
  static const Result<Grade> grade = find_grade();
  return grade;
}

Result<Jail> Jail::start(const JailRequest& request) {
  CUPEL_TRY(Jail jail, make(request));
  SpawnRequest spawn = spawn_request(request, jail.cgroup_);
  spawn.output_fd = jail.child_output_.get();
  CUPEL_TRY(jail.process_, Process::spawn(spawn));
  jail.child_output_.reset();
  return jail;
}

Result<Jail> Jail::reserve(const JailRequest& request) {
  CUPEL_TRY(Jail jail, make(request));
  if (!request.unjailed) CUPEL_TRY_STATUS(jail.hold(request));
  return jail;
}

Result<Jail> Jail::make(const JailRequest& request) {
  int pipe_fds[2];
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) return errno_error("cannot make a pipe");
  UniqueFd output(pipe_fds[0]);
  UniqueFd child_output(pipe_fds[1]);
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(output.get(), F_SETPIPE_SZ, k_pipe_bytes);
  return Jail(Cgroup::create(request.memory_bytes_max, request.processes_max), std::move(output),
              std::move(child_output), request);
}

// Starts the process that keeps the jail open, and opens the jail's namespaces.
Status Jail::hold(const JailRequest& request) {
  int sockets[2];
  int info[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0 ||
      ::pipe2(info, O_CLOEXEC) != 0) {
    return errno_error("cannot make a socket pair and a pipe");
  }
  control_.reset(sockets[0]);
  UniqueFd child_control(sockets[1]);
  UniqueFd info_read(info[0]);
  UniqueFd info_write(info[1]);
  JailRequest waiting = request;
  waiting.argv = k_waiting_program;
  waiting.environment = minimal_environment();
  waiting.socket_fd = child_control.get();
  SpawnRequest spawn = spawn_request(waiting, cgroup_, k_info_fd);
  spawn.inherit.emplace_back(info_write.get(), k_info_fd);
  spawn.output_fd = child_output_.get();
  CUPEL_TRY(process_, Process::spawn(spawn));
  child_control.reset();
  info_write.reset();
  if (!wait_for_line(control_.get())) return infra_error("bwrap did not make a jail", "bwrap");
  ::shutdown(control_.get(), SHUT_RD);  // nobody puts anything there that closing would wait for
  const pid_t init = child_in(info_read.get());
  init_.reset(static_cast<int>(::syscall(SYS_pidfd_open, init, 0)));
  CUPEL_TRY(namespaces_, namespaces_of(init));
  return {};
}

Entrance Jail::entrance() const {
  Entrance entrance;
  for (const auto& descriptor : namespaces_) entrance.namespaces.push_back(descriptor.get());
  entrance.cgroups = cgroup_.join_fds();
  entrance.output_fd = child_output_.get();
  entrance.limits = limits_;
  entrance.directory = directory_;
  return entrance;
}

void Jail::adopt(pid_t keeper, UniqueFd status) {
  guest_.emplace(keeper, std::move(status));
  child_output_.reset();
  namespaces_.clear();
}

Result<ToolRun> run_in_jail(const JailRequest& request, std::string_view input, double seconds_max,
                            std::size_t output_bytes_max) {
  const Cgroup cgroup = Cgroup::create(request.memory_bytes_max, request.processes_max);
  return run_tool(spawn_request(request, cgroup), input, seconds_max, output_bytes_max);
}

Jail::Jail(Cgroup cgroup, UniqueFd output, UniqueFd child_output, const JailRequest& request)
    : cgroup_(std::move(cgroup)),
      output_(std::move(output)),
      child_output_(std::move(child_output)),
      limits_(limits_of(request)),
      directory_(request.unjailed ? request.work_directory : request.home),
      memory_bytes_max_(request.memory_bytes_max),
      processes_max_(request.processes_max),
      unjailed_(request.unjailed) {}

Jail::~Jail() {
  kill();
}

// Moved-from jails hold a process without an id.
bool Jail::holds_process() const {
  return process_ && process_->pid() > 0;
}

std::optional<ExitStatus> Jail::poll_exit() {
  if (guest_) return guest_->poll_exit();
  return holds_process() ? process_->poll_exit() : std::nullopt;
}

std::vector<pid_t> Jail::processes() {
  std::vector<pid_t> all;
  if (guest_) all = guest_->processes();
  if (holds_process() && !process_->poll_exit()) {
    const auto inside = process_tree(process_->pid());
    all.insert(all.end(), inside.begin(), inside.end());
  }
  return all;
}

void Jail::freeze(Patience patience) {
  if (frozen_) return;
  frozen_ = true;
  if (cgroup_.can_freeze()) {
    const std::string why = cgroup_.freeze(patience);
    if (why.empty()) return;
    unstoppable_->set(why);
    return kill();
  }
  stopped_ = processes();
  for (const pid_t pid : stopped_) ::kill(pid, SIGSTOP);
}

pid_t Jail::program() {
  const auto tree =
      guest_ ? guest_->processes() : process_tree(holds_process() ? process_->pid() : -1);
  const std::size_t before = guest_      ? k_processes_of_keeper
                             : unjailed_ ? 0
                                         : k_processes_of_bubblewrap;
  return tree.size() > before ? tree[before] : -1;
}

void Jail::thaw() {
  if (!frozen_) return;
  frozen_ = false;
  cgroup_.thaw();
  for (const pid_t pid : stopped_) ::kill(pid, SIGCONT);
  stopped_.clear();
}

void Jail::signal(int number) const {
  if (guest_) return guest_->signal(number);
  for (const pid_t pid : process_tree(holds_process() ? process_->pid() : -1)) {
    ::kill(pid, number);
  }
}

void Jail::kill() {
  // A frozen process of a version 1 group dies only once it is thawed; an unjailed one has no
  // namespace whose end takes its children along.
  if (holds_process() && !process_->poll_exit()) {
    for (const pid_t pid : process_tree(process_->pid())) ::kill(pid, SIGKILL);
  }
  if (holds_process()) ::kill(-process_->pid(), SIGKILL);
  if (guest_) guest_->signal_kill();
  thaw();
  if (guest_) guest_->kill();
  if (process_) process_->kill_and_reap();
  wait_for_end(init_.get());
}

std::int64_t Jail::memory_bytes() {
  std::int64_t total = 0;
  for (const pid_t pid : processes()) total += own_bytes(pid);
  return total;
}

std::string Jail::watch_limits() {
  if (cgroup_.limits_memory() && cgroup_.limits_processes()) return "";
  const auto tree = processes();
  if (!cgroup_.limits_processes() && static_cast<int>(tree.size()) > processes_max_) {
    return "more than " + std::to_string(processes_max_) + " processes";
  }
  std::uint64_t resident = 0;
  for (const pid_t pid : tree) resident += resident_bytes(pid);
  if (!cgroup_.limits_memory() && resident > memory_bytes_max_) {
    return "more than " + std::to_string(memory_bytes_max_ >> 20) + " MiB of memory";
  }
  return "";
}

}  // namespace cupel::sandbox
