#include "sandbox/system_calls.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cupel::sandbox {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t k_architecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t k_number_max = 0x3fffffff;  // above it: another ABI's numbers
#elif defined(__aarch64__)
constexpr std::uint32_t k_architecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t k_number_max = 0xffffffff;
#else
constexpr std::uint32_t k_architecture = 0;
constexpr std::uint32_t k_number_max = 0;
#endif

constexpr std::uint32_t k_allow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t k_refuse = SECCOMP_RET_ERRNO | EPERM;
// C libraries then use clone(2), whose flags can be looked at.
constexpr std::uint32_t k_unknown = SECCOMP_RET_ERRNO | ENOSYS;
constexpr std::uint32_t k_new_namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                           CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                                           CLONE_NEWNET;
constexpr std::uint32_t k_no_such_family = SECCOMP_RET_ERRNO | EAFNOSUPPORT;
constexpr std::uint32_t k_refused[] = {
    SYS_unshare,        SYS_setns,       SYS_io_uring_setup, SYS_io_setup,    SYS_timer_create,
    SYS_timerfd_create, SYS_sync,        SYS_syncfs,         SYS_pidfd_getfd, SYS_userfaultfd,
    SYS_add_key,        SYS_request_key, SYS_keyctl,         SYS_bpf};

sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

// The lower half of an argument; both processors are little-endian.
std::size_t argument(int index) {
  return offsetof(seccomp_data, args) + static_cast<std::size_t>(index) * sizeof(std::uint64_t);
}

sock_filter answer(std::uint32_t what) {
  return BPF_STMT(BPF_RET | BPF_K, what);
}

// Skips as many instructions where the test fails.
sock_filter unless(std::uint16_t test, std::uint32_t value, std::uint8_t skipped) {
  return BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, 0, skipped);
}

std::vector<sock_filter> make_filter() {
  if (k_architecture == 0) return {};
  std::vector<sock_filter> filter{load(offsetof(seccomp_data, arch)),
                                  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k_architecture, 1, 0),
                                  answer(k_refuse),
                                  load(offsetof(seccomp_data, nr)),
                                  unless(BPF_JGT, k_number_max, 1),
                                  answer(k_refuse)};
  for (const std::uint32_t number : k_refused) {
    filter.insert(filter.end(), {unless(BPF_JEQ, number, 1), answer(k_refuse)});
  }
  filter.insert(
      filter.end(),
      {unless(BPF_JEQ, SYS_clone3, 1), answer(k_unknown), unless(BPF_JEQ, SYS_clone, 4),
       load(argument(0)), unless(BPF_JSET, k_new_namespaces, 1), answer(k_refuse), answer(k_allow),
       unless(BPF_JEQ, SYS_socket, 4), load(argument(0)), unless(BPF_JEQ, AF_UNIX, 1),
       answer(k_allow), answer(k_no_such_family), unless(BPF_JEQ, SYS_fcntl, 3), load(argument(1)),
       unless(BPF_JEQ, F_SETLEASE, 1), answer(k_refuse), answer(k_allow)});
  return filter;
}

}  // namespace

std::string_view system_call_filter() {
  static const std::vector<sock_filter> filter = make_filter();
  return {reinterpret_cast<const char*>(filter.data()), filter.size() * sizeof(sock_filter)};
}

}  // namespace cupel::sandbox
