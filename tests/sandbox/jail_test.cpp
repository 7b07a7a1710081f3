#include "sandbox/jail.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace cupel::sandbox {
namespace {

constexpr double k_seconds_max = 60;
constexpr std::size_t k_output_bytes_max = 1 << 16;

JailRequest shell(const std::string& script) {
  JailRequest request;
  request.argv = {"sh", "-c", script};
  request.environment = {"PATH=/usr/bin:/bin"};
  request.memory_bytes_max = 256 << 20;
  request.scratch_bytes_max = 8 << 20;
  request.processes_max = 32;
  return request;
}

ToolRun run(const JailRequest& request) {
  auto result = run_in_jail(request, "", k_seconds_max, k_output_bytes_max);
  EXPECT_TRUE(result.has_value());
  return result ? *result : ToolRun{};
}

class JailTest : public testing::Test {
 protected:
  void SetUp() override {
    if (auto grade = probe_grade(false); !grade) GTEST_SKIP() << grade.error().describe();
  }
};

TEST_F(JailTest, RunsAProgramAndReturnsItsOutputAndCode) {
  const ToolRun result = run(shell("echo hello; exit 7"));
  EXPECT_EQ(result.output, "hello\n");
  EXPECT_EQ(result.status.code, 7);
}

TEST_F(JailTest, HasNoNetworkInterfaceButLoopback) {
  const ToolRun result = run(shell("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' \\n'"));
  EXPECT_EQ(result.output, "lo");
}

TEST_F(JailTest, SeesNeitherHomesNorTheCallersFiles) {
  const ToolRun result = run(shell("ls /home; ls -A /home/user; ls /root " +
                                   std::filesystem::current_path().string() + " 2>/dev/null"));
  EXPECT_EQ(result.output, "user\n");
}

TEST_F(JailTest, CannotWriteToTheSystemOrTheRootOrDev) {
  const ToolRun result =
      run(shell("for f in /usr/x /x /dev/x /etc/x; do echo > $f && echo wrote $f; "
                "done 2>/dev/null; true"));
  EXPECT_EQ(result.output, "");
}

TEST_F(JailTest, WritesToItsScratchUpToTheLimit) {
  const ToolRun result =
      run(shell("echo ok > /home/user/a && cat /home/user/a; "
                "head -c 64M /dev/zero > /dev/shm/b 2>/dev/null || echo full"));
  EXPECT_EQ(result.output, "ok\nfull\n");
}

TEST_F(JailTest, SeesOnlyItsOwnProcesses) {
  const ToolRun result = run(shell("ls /proc | grep -c '^[0-9]'"));
  EXPECT_LE(std::stoi(result.output), 6);
}

// Root's number without root's rights is enough for them, unless they are read-only.
const char* const k_change_settings =
    "for f in /proc/sys/vm/stat_interval /proc/sys/kernel/core_pattern "
    "/proc/irq/default_smp_affinity; "
    "do v=$(cat $f); echo \"$v\" > $f && echo wrote $f; done 2>/dev/null; true";

// CUDA names its threads there, and does not start where it cannot.
const char* const k_name_thread = "printf name > /proc/self/task/$$/comm && cat /proc/$$/comm";

JailRequest beside_a_device(const std::string& script) {
  JailRequest request = shell(script);
  request.binds.push_back({"/dev/null", "/dev/a_device", false, true});
  return request;
}

TEST_F(JailTest, ChangesNoSettingOfTheKernel) {
  EXPECT_EQ(run(shell(k_change_settings)).output, "");
  EXPECT_EQ(run(beside_a_device(k_change_settings)).output, "");
}

TEST_F(JailTest, NamesItsThreadsBesideADeviceAlone) {
  EXPECT_NE(run(shell(k_name_thread)).status.code, 0);
  EXPECT_EQ(run(beside_a_device(k_name_thread)).output, "name\n");
}

// What the kernel tells of others through a /proc of theirs.
TEST_F(JailTest, SeesNobodysLocksBesideADevice) {
  UniqueFd file(::open("/tmp", O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(file.get(), LOCK_SH), 0);
  EXPECT_EQ(run(beside_a_device("cat /proc/locks")).output, "");
}

TEST_F(JailTest, EverythingOfTheKernelsIsReadOnlyBesideADevice) {
  const ToolRun result = run(
      beside_a_device("for f in $(find /proc -maxdepth 1 -name '[a-z]*' ! -type l -writable); do "
                      "echo $f; done; find /proc/sys /proc/irq -writable 2>/dev/null | head -3"));
  EXPECT_EQ(result.output, "");
}

TEST_F(JailTest, WhatIsPreloadedInsideIsNotOutside) {
  JailRequest request = shell("true");
  request.environment.push_back("LD_PRELOAD=/work/nowhere.so");
  const std::string said = run(request).output;  // of the shell inside, not of bwrap
  const std::size_t first = said.find("nowhere.so");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(said.find("nowhere.so", first + 1), std::string::npos);
}

TEST_F(JailTest, MakesNoNamespacesOfItsOwn) {
  EXPECT_NE(run(shell("unshare --user true")).status.code, 0);
  EXPECT_NE(run(shell("unshare --user --net --map-root-user true")).status.code, 0);
}

TEST_F(JailTest, KnowsItsProgramByItsNumberOutHere) {
  auto jail = Jail::start(shell("echo $$; kill -STOP $$"));  // no exec: it empties environ
  ASSERT_TRUE(jail.has_value());
  pollfd said{jail->output_fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&said, 1, static_cast<int>(1e3 * k_seconds_max)), 1);
  std::ifstream environment("/proc/" + std::to_string(jail->program()) + "/environ");
  std::string text;
  std::getline(environment, text);
  EXPECT_NE(text.find("PATH=/usr/bin:/bin"), std::string::npos);
  const auto tree = process_tree(jail->program());
  EXPECT_EQ(tree.size(), 1U);
}

TEST_F(JailTest, InheritsNoEnvironment) {
  ::setenv("CUPEL_TEST_SECRET", "secret", 1);
  const ToolRun result = run(shell("env"));
  EXPECT_EQ(result.output.find("secret"), std::string::npos);
}

TEST_F(JailTest, InheritsNoDescriptorButItsSocket) {
  UniqueFd secret(::open("/etc/hostname", O_RDONLY));  // without O_CLOEXEC on purpose
  int sockets[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  UniqueFd ours(sockets[0]);
  UniqueFd theirs(sockets[1]);
  JailRequest request = shell("ls /proc/self/fd | tr '\\n' ' '");
  request.socket_fd = theirs.get();
  const ToolRun result = run(request);
  // `ls` itself opens one more descriptor for the directory; 5 is where bubblewrap found the filter
  // of system calls, which it leaves open.
  EXPECT_EQ(result.output, "0 1 2 3 4 5 ");
}

TEST_F(JailTest, ReportsDeathByASignal) {
  const ToolRun result = run(shell("kill -SEGV $$"));
  EXPECT_EQ(describe(result.status), "killed by SIGSEGV");
}

TEST_F(JailTest, LimitsMemory) {
  const ToolRun result = run(shell("head -c 1G /dev/zero | tail -c 1G | wc -c"));
  EXPECT_NE(result.output, "1073741824\n");
}

TEST_F(JailTest, LimitsProcesses) {
  if (cgroup_support().pids.empty()) GTEST_SKIP() << "needs a writable pids cgroup";
  const ToolRun result =
      run(shell("i=0; while [ $i -lt 200 ]; do sleep 1000 & i=$((i+1)); done; "
                "echo all started"));
  EXPECT_EQ(result.output.find("all started"), std::string::npos);
}

// Counts lines that a jail prints within a while.
int lines_within_ms(const Jail& jail, int ms) {
  int lines = 0;
  char chunk[65536];
  for (int waited = 0; waited < ms; waited += 10) {
    pollfd output{jail.output_fd(), POLLIN, 0};
    ::poll(&output, 1, 10);
    for (ssize_t got; (got = ::read(jail.output_fd(), chunk, sizeof chunk)) > 0;) {
      lines += static_cast<int>(std::count(chunk, chunk + got, '\n'));
    }
  }
  return lines;
}

TEST_F(JailTest, AFrozenJailStandsStillAndAThawedOneGoesOn) {
  auto jail = Jail::start(shell("while true; do echo x; sleep 0.001; done"));
  ASSERT_TRUE(jail.has_value());
  while (lines_within_ms(*jail, 50) == 0) {
  }
  jail->freeze();
  lines_within_ms(*jail, 20);  // what lay in the pipe
  EXPECT_EQ(lines_within_ms(*jail, 100), 0);
  jail->thaw();
  int lines = 0;
  for (int attempt = 0; lines == 0 && attempt < 100; ++attempt) lines = lines_within_ms(*jail, 50);
  EXPECT_GT(lines, 0);
}

TEST_F(JailTest, AFrozenJailCanBeKilledAndLeavesNoGroupBehind) {
  {
    auto jail = Jail::start(shell("sleep 1000 & sleep 1000 & wait"));
    ASSERT_TRUE(jail.has_value());
    jail->freeze();
  }
  const auto& freezer = cgroup_support().freezer;
  const std::string ours = "cupel-" + std::to_string(::getpid()) + "-";
  if (freezer.empty()) return;
  for (const auto& group : std::filesystem::directory_iterator(freezer)) {
    EXPECT_FALSE(group.path().filename().string().starts_with(ours)) << group.path();
  }
}

TEST_F(JailTest, SeesTheMemoryOfItsProcesses) {
  auto jail =
      Jail::start(shell("all=$(head -c 32000000 /dev/zero | tr '\\0' a); echo ${#all}; "
                        "while :; do sleep 1000; done"));
  ASSERT_TRUE(jail.has_value());
  while (lines_within_ms(*jail, 50) == 0) {
  }
  EXPECT_GT(jail->memory_bytes(), 32'000'000);
  EXPECT_LT(jail->memory_bytes(), 256 << 20);
  jail->kill();
  EXPECT_EQ(jail->memory_bytes(), 0);
}

// A judge that is killed while its host is frozen.
TEST_F(JailTest, ASweepEndsWhatAKilledJudgeLeftFrozen) {
  const CgroupSupport& support = cgroup_support();
  if (support.freezer.empty()) GTEST_SKIP() << "needs a writable freezer";
  const pid_t judge = ::fork();
  if (judge == 0) {
    auto jail = Jail::start(shell("sleep 1000"));
    if (jail) jail->freeze();
    ::raise(SIGKILL);
  }
  ASSERT_EQ(::waitpid(judge, nullptr, 0), judge);
  const auto left = [&] {
    const auto prefix = "cupel-" + std::to_string(judge) + "-";
    int groups = 0;
    for (const auto& group : std::filesystem::directory_iterator(support.freezer)) {
      groups += group.path().filename().string().starts_with(prefix);
    }
    return groups;
  };
  EXPECT_EQ(left(), 1);
  for (int sweeps = 0; left() > 0 && sweeps < 100; ++sweeps) sweep_leftovers(support);
  EXPECT_EQ(left(), 0);
}

}  // namespace
}  // namespace cupel::sandbox
