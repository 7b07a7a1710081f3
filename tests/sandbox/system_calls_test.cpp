#include "sandbox/system_calls.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string>
#include <vector>

namespace cupel::sandbox {
namespace {

void apply_filter() {
  const std::string_view bytes = system_call_filter();
  std::vector<sock_filter> filter(bytes.size() / sizeof(sock_filter));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(filter.data()));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0) ::_exit(100);
}

// The errno (0: it worked) that `call` ends with in a child behind the filter.
int error_behind_filter(const std::function<long()>& call) {
  const pid_t child = ::fork();
  if (child == 0) {
    apply_filter();
    errno = 0;
    const long result = call();
    ::_exit(result == -1 ? errno : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class SystemCallsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (system_call_filter().empty()) GTEST_SKIP() << "no filter for this processor";
  }
};

TEST_F(SystemCallsTest, RefusesNamespaces) {
  EXPECT_EQ(error_behind_filter([] { return ::unshare(CLONE_NEWUSER); }), EPERM);
  EXPECT_EQ(error_behind_filter([] { return ::unshare(CLONE_NEWUSER | CLONE_NEWNET); }), EPERM);
  EXPECT_EQ(error_behind_filter([] {
              return ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, 0);
            }),
            EPERM);
  EXPECT_EQ(error_behind_filter([] { return ::syscall(SYS_clone3, nullptr, 0); }), ENOSYS);
}

TEST_F(SystemCallsTest, RefusesLeasesButNotOtherUsesOfFcntl) {
  const auto with_file = [](int command, int argument) {
    return [=] {
      const int file = ::open("/proc/self/exe", O_RDONLY);
      return static_cast<long>(::fcntl(file, command, argument));
    };
  };
  EXPECT_EQ(error_behind_filter(with_file(F_SETLEASE, F_RDLCK)), EPERM);
  EXPECT_EQ(error_behind_filter(with_file(F_DUPFD_CLOEXEC, 10)), 0);
  EXPECT_EQ(error_behind_filter(with_file(F_GETFL, 0)), 0);
}

TEST_F(SystemCallsTest, RefusesWorkWithoutAThread) {
  EXPECT_EQ(error_behind_filter([] { return ::syscall(SYS_io_uring_setup, 8, nullptr); }), EPERM);
  EXPECT_EQ(error_behind_filter([] { return ::syscall(SYS_userfaultfd, 0); }), EPERM);
  EXPECT_EQ(error_behind_filter([] { return ::syscall(SYS_bpf, 0, nullptr, 0); }), EPERM);
  EXPECT_EQ(error_behind_filter([] { return ::syscall(SYS_timerfd_create, 0, 0); }), EPERM);
}

TEST_F(SystemCallsTest, LeavesLocalSocketsOnly) {
  EXPECT_EQ(error_behind_filter([] { return ::socket(AF_UNIX, SOCK_STREAM, 0); }), 0);
  EXPECT_EQ(error_behind_filter([] { return ::socket(AF_INET, SOCK_STREAM, 0); }), EAFNOSUPPORT);
  EXPECT_EQ(error_behind_filter([] { return ::socket(AF_NETLINK, SOCK_RAW, 0); }), EAFNOSUPPORT);
}

TEST_F(SystemCallsTest, LetsProgramsForkAndRunOthers) {
  EXPECT_EQ(error_behind_filter([] {
              const pid_t child = ::fork();
              if (child == 0) ::execl("/bin/true", "true", nullptr);
              int status = -1;
              ::waitpid(child, &status, 0);
              return status == 0 ? 0L : -1L;
            }),
            0);
}

}  // namespace
}  // namespace cupel::sandbox
