#include "sandbox/guest.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace cupel::sandbox {
namespace {

// A killed guest is reaped within milliseconds; a keeper that does not get to it is killed too.
constexpr int k_reap_ms_max = 2000;

bool same_namespace(int left, int right) {
  struct stat a {};
  struct stat b {};
  return ::fstat(left, &a) == 0 && ::fstat(right, &b) == 0 && a.st_ino == b.st_ino &&
         a.st_dev == b.st_dev;
}

UniqueFd open_namespace(const std::string& process, const char* kind) {
  return UniqueFd(::open(("/proc/" + process + "/ns/" + kind).c_str(), O_RDONLY | O_CLOEXEC));
}

void add_foreign(std::vector<UniqueFd>& list, UniqueFd descriptor, const char* kind) {
  if (!descriptor.valid()) return;
  if (!same_namespace(descriptor.get(), open_namespace("self", kind).get())) {
    list.push_back(std::move(descriptor));
  }
}

}  // namespace

Guest::Guest(pid_t keeper, UniqueFd status)
    : keeper_(keeper),
      keeper_fd_(static_cast<int>(::syscall(SYS_pidfd_open, keeper, 0))),
      status_(std::move(status)) {
  ::fcntl(status_.get(), F_SETFL, O_NONBLOCK);
}

Guest::~Guest() {
  kill();
}

std::optional<ExitStatus> Guest::poll_exit() {
  if (exit_ || !status_.valid()) return exit_;
  char text[16] = {};
  const ssize_t got = ::read(status_.get(), text, sizeof text - 1);
  if (got > 0) exit_ = ExitStatus{std::atoi(text), 0};
  if (got == 0) exit_ = ExitStatus{0, SIGKILL};
  return exit_;
}

std::vector<pid_t> Guest::processes() {
  const bool here = status_.valid() && !poll_exit();
  return here ? process_tree(keeper_) : std::vector<pid_t>();
}

void Guest::signal(int number) const {
  pollfd ended{keeper_fd_.get(), POLLIN, 0};
  if (!keeper_fd_.valid() || ::poll(&ended, 1, 0) != 0) return;
  for (const pid_t pid : process_tree(keeper_)) {
    if (pid != keeper_) ::kill(pid, number);
  }
}

void Guest::signal_kill() {
  for (const pid_t pid : processes()) {
    if (pid != keeper_) ::kill(pid, SIGKILL);
  }
}

void Guest::kill() {
  signal_kill();
  if (!keeper_fd_.valid() || poll_exit()) return;
  pollfd told{status_.get(), POLLIN, 0};
  ::poll(&told, 1, k_reap_ms_max);
  if (!poll_exit()) ::syscall(SYS_pidfd_send_signal, keeper_fd_.get(), SIGKILL, nullptr, 0);
}

Result<std::vector<UniqueFd>> namespaces_of(pid_t pid) {
  const std::string process = std::to_string(pid);
  UniqueFd user = open_namespace(process, "user");
  UniqueFd mount = open_namespace(process, "mnt");
  if (!user.valid() || !mount.valid()) {
    return errno_error("cannot open the namespaces of process " + process);
  }
  UniqueFd owner(::ioctl(mount.get(), NS_GET_USERNS));
  const bool owner_is_own = owner.valid() && same_namespace(owner.get(), user.get());
  std::vector<UniqueFd> list;
  add_foreign(list, std::move(owner), "user");
  add_foreign(list, std::move(mount), "mnt");
  for (const char* kind : {"net", "ipc", "uts", "cgroup", "pid"}) {
    add_foreign(list, open_namespace(process, kind), kind);
  }
  if (!owner_is_own) add_foreign(list, std::move(user), "user");
  return list;
}

}  // namespace cupel::sandbox
