#include "sandbox/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/deadline.h"
#include "sandbox/cores.h"
#include "sandbox/tool_pause.h"

namespace cupel::sandbox {
namespace {

// Exit code of a child that could not be executed; the shells' convention.
constexpr int k_exec_failed = 127;

// Never more than the limit that holds already.
void limit_resource(int resource, std::uint64_t value) {
  rlimit limit{value, value};
  rlimit now{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &now) == 0) {
    limit.rlim_cur = limit.rlim_max = std::min<rlim_t>(value, now.rlim_max);
  }
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

void apply_limits(const ResourceLimits& limits) {
  limit_resource(RLIMIT_CORE, 0);
  if (limits.data_bytes_max) limit_resource(RLIMIT_DATA, limits.data_bytes_max);
  if (limits.file_bytes_max) limit_resource(RLIMIT_FSIZE, limits.file_bytes_max);
  if (limits.descriptors_max) limit_resource(RLIMIT_NOFILE, limits.descriptors_max);
}

// A copy of a descriptor, above another one. In a child: ends it on failure.
int copy_above(int descriptor, int other) {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, other + 1);
  if (copy < 0) ::_exit(k_exec_failed);
  return copy;
}

void put(int descriptor, int number) {
  if (::dup2(descriptor, number) < 0) ::_exit(k_exec_failed);
}

// Leaves the child with 0, 1, 2 and the named descriptors, nothing else. All are copied above these
// first, so that moving one into place closes none that is to be moved. `copies`: as many as are
// inherited; a child of many threads allocates nothing.
void arrange_descriptors(const SpawnRequest& request, std::vector<int>& copies) {
  int highest = 2;
  for (const auto& [ours, theirs] : request.inherit) highest = std::max(highest, theirs);
  const int null_fd = copy_above(::open("/dev/null", O_RDWR), highest);
  const int output = request.output_fd >= 0 ? copy_above(request.output_fd, highest) : null_fd;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    copies[i] = copy_above(request.inherit[i].first, highest);
  }
  put(null_fd, 0);
  put(output, 1);
  put(output, 2);
  for (std::size_t i = 0; i < copies.size(); ++i) put(copies[i], request.inherit[i].second);
  ::syscall(SYS_close_range, highest + 1, ~0U, 0);
}

[[noreturn]] void become(const SpawnRequest& request, std::vector<char*>& argv,
                         std::vector<char*>& environment, std::vector<int>& copies, pid_t parent) {
  if (!request.outlives_thread) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(k_exec_failed);
  ::setpgid(0, 0);
  ::sched_setaffinity(0, sizeof given_cores(), &given_cores());
  for (const int fd : request.join_cgroups) {
    if (::write(fd, "0", 1) != 1) ::_exit(k_exec_failed);
  }
  apply_limits(request.limits);
  if (!request.directory.empty() && ::chdir(request.directory.c_str()) != 0) {
    ::_exit(k_exec_failed);
  }
  arrange_descriptors(request, copies);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::execvpe(argv[0], argv.data(), environment.data());
  ::_exit(k_exec_failed);
}

std::vector<char*> as_pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const auto& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

ExitStatus decode_end(const siginfo_t& ended) {
  if (ended.si_code == CLD_EXITED) return {ended.si_status, 0};
  return {0, ended.si_status};
}

void collect_descendants(pid_t pid, std::vector<pid_t>& found) {
  found.push_back(pid);
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  std::error_code failure;
  for (const auto& task : std::filesystem::directory_iterator(tasks, failure)) {
    std::ifstream children(task.path() / "children");
    for (pid_t child = 0; children >> child;) collect_descendants(child, found);
  }
}

// Waits for something to read or for an end; false at the deadline.
bool await_readable(int fd, const Deadline& deadline) {
  for (;;) {
    const std::int64_t left_ms = deadline.left_ms();
    if (left_ms <= 0) return false;
    pollfd waiting{fd, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left_ms, 1000))) > 0) {
      return true;
    }
  }
}

// Reads until end of file or the deadline; returns false at the deadline.
bool drain_until(int fd, const Deadline& deadline, std::size_t bytes_max, std::string& output) {
  char chunk[16384];
  for (;;) {
    if (!await_readable(fd, deadline)) return false;
    const ssize_t got = ::read(fd, chunk, sizeof chunk);
    if (got <= 0) return true;
    const auto room = bytes_max - std::min(bytes_max, output.size());
    output.append(chunk, std::min(room, static_cast<std::size_t>(got)));
  }
}

// A process may go on after it has closed its output. False at the deadline.
bool await_end(Process& process, const Deadline& deadline) {
  while (!process.poll_exit()) {
    if (deadline.left_ns() <= 0) return false;
    ::usleep(200);
  }
  return true;
}

// Puts what the child is to read into files of its own, and those among what it inherits. Unlike a
// pipe, a file never keeps its writer waiting for a reader.
Result<std::vector<UniqueFd>> open_files(SpawnRequest& request) {
  std::vector<UniqueFd> files;
  for (const auto& [bytes, number] : request.files) {
    UniqueFd file(::memfd_create("given", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    const auto put = ::pwrite(file.get(), bytes.data(), bytes.size(), 0);
    if (put != static_cast<ssize_t>(bytes.size())) return errno_error("cannot make a file");
    ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
    request.inherit.emplace_back(file.get(), number);
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

std::string describe(const ExitStatus& status) {
  // bwrap, like a shell, reports its child's signal as exit code 128 + number.
  const int number = status.signal ? status.signal : status.code > 128 ? status.code - 128 : 0;
  const char* name = number ? sigabbrev_np(number) : nullptr;
  if (name) return "killed by SIG" + std::string(name);
  return "exited with code " + std::to_string(status.code);
}

Result<Process> Process::spawn(const SpawnRequest& asked) {
  CUPEL_CHECK(!asked.argv.empty());
  SpawnRequest request = asked;
  CUPEL_TRY(const auto files, open_files(request));
  auto argv = as_pointers(request.argv);
  auto environment = as_pointers(request.environment);
  std::vector<int> copies(request.inherit.size());
  given_cores();  // read before the fork, whatever this thread is kept on now
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("cannot start a process", request.argv[0]);
  if (pid == 0) become(request, argv, environment, copies, parent);
  return Process(pid);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), exit_(other.exit_), reaped_(other.reaped_) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this != &other) {
    kill_and_reap();
    pid_ = std::exchange(other.pid_, -1);
    exit_ = other.exit_;
    reaped_ = other.reaped_;
  }
  return *this;
}

Process::~Process() {
  kill_and_reap();
}

std::optional<ExitStatus> Process::poll_exit() {
  if (exit_ || pid_ < 0) return exit_;
  siginfo_t ended{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      ended.si_pid == pid_) {
    exit_ = decode_end(ended);
  }
  return exit_;
}

void Process::signal(int number) const {
  if (pid_ > 0 && !exit_) ::kill(pid_, number);
}

void Process::kill_and_reap() {
  if (pid_ < 0 || reaped_) return;
  ::kill(pid_, SIGKILL);
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED) < 0 && errno == EINTR) {
  }
  exit_ = decode_end(ended);
  reaped_ = true;
}

std::optional<std::int64_t> processor_ns(pid_t thread) {
  std::ifstream file("/proc/" + std::to_string(thread) + "/schedstat");
  std::int64_t ns = 0;
  if (!(file >> ns)) return std::nullopt;
  return ns;
}

std::vector<pid_t> process_tree(pid_t root) {
  std::vector<pid_t> found;
  if (root > 0) collect_descendants(root, found);
  return found;
}

Result<ToolRun> run_tool(SpawnRequest request, std::string_view input, double seconds_max,
                         std::size_t output_bytes_max) {
  int out[2];
  if (::pipe2(out, O_CLOEXEC) != 0) return errno_error("cannot make a pipe");
  UniqueFd out_read(out[0]);
  UniqueFd out_write(out[1]);
  request.output_fd = out_write.get();
  request.files.emplace_back(input, 0);
  CUPEL_TRY(Process process, Process::spawn(request));
  const PausableTool pausable(process.pid());
  const Deadline deadline(pausable.pauses(), seconds_max);
  out_write.reset();
  ToolRun run;
  run.timed_out = !drain_until(out_read.get(), deadline, output_bytes_max, run.output) ||
                  !await_end(process, deadline);
  if (run.timed_out) process.kill_and_reap();
  run.status = *process.poll_exit();
  return run;
}

std::string environment_or(const char* name, const std::string& fallback) {
  const char* value = std::getenv(name);
  return value && *value ? value : fallback;
}

}  // namespace cupel::sandbox
