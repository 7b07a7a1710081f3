#include "sandbox/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <ctime>
#include <string>

namespace cupel::sandbox {
namespace {

constexpr double k_seconds_max = 30;
constexpr std::size_t k_output_bytes_max = 1 << 20;
// More than any pipe holds.
constexpr std::size_t k_large_input_bytes = 8 << 20;

SpawnRequest shell(const std::string& script) {
  SpawnRequest request;
  request.argv = {"sh", "-c", script};
  request.environment = {"PATH=/usr/bin:/bin"};
  return request;
}

TEST(ProcessTest, KillsItsChildOnDestruction) {
  pid_t pid = 0;
  {
    SpawnRequest request;
    request.argv = {"sleep", "1000"};
    request.environment = {"PATH=/usr/bin:/bin"};
    auto process = Process::spawn(request);
    ASSERT_TRUE(process.has_value());
    pid = process->pid();
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(ProcessTest, FeedsInputAndStopsAtTheDeadline) {
  SpawnRequest request;
  request.argv = {"cat"};
  request.environment = {"PATH=/usr/bin:/bin"};
  auto echoed = run_tool(request, "some text", k_seconds_max, k_output_bytes_max);
  ASSERT_TRUE(echoed.has_value());
  EXPECT_EQ(echoed->output, "some text");
  request.argv = {"sleep", "1000"};
  auto hung = run_tool(request, "", 0.2, k_output_bytes_max);
  ASSERT_TRUE(hung.has_value());
  EXPECT_TRUE(hung->timed_out);
}

TEST(ProcessTest, AProgramThatDoesNotExistEndsWithTheShellsCode) {
  SpawnRequest request;
  request.argv = {"no-such-program-anywhere"};
  request.environment = {"PATH=/usr/bin:/bin"};
  auto result = run_tool(request, "", k_seconds_max, k_output_bytes_max);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->status.code, 127);
}

TEST(ProcessTest, AToolThatNeverReadsItsInputKeepsNobodyWaiting) {
  const std::string large(k_large_input_bytes, 'x');
  auto ended = run_tool(shell("echo done"), large, k_seconds_max, k_output_bytes_max);
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->output, "done\n");
  auto hung = run_tool(shell("exec sleep 1000"), large, 0.2, k_output_bytes_max);
  ASSERT_TRUE(hung.has_value());
  EXPECT_TRUE(hung->timed_out);
}

TEST(ProcessTest, LargeInputArrivesWholeAndCannotBeChanged) {
  const std::string large(k_large_input_bytes, 'x');
  auto counted = run_tool(shell("wc -c; echo y 2>/dev/null >/proc/self/fd/0 || echo refused"),
                          large, k_seconds_max, k_output_bytes_max);
  ASSERT_TRUE(counted.has_value());
  EXPECT_EQ(counted->output, std::to_string(k_large_input_bytes) + "\nrefused\n");
}

TEST(ProcessTest, AToolThatClosesItsOutputAndGoesOnIsEndedAtTheDeadline) {
  auto hung = run_tool(shell("exec >&- 2>&-; exec sleep 1000"), "", 0.2, k_output_bytes_max);
  ASSERT_TRUE(hung.has_value());
  EXPECT_TRUE(hung->timed_out);
}

std::int64_t own_processor_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

TEST(ProcessTest, TimeOnACoreIsThatOfTheFirstThread) {
  constexpr std::int64_t k_worked_ns = 20'000'000;
  const auto before = processor_ns(::getpid());
  if (!before) GTEST_SKIP() << "this kernel does not tell";
  const std::int64_t from_ns = own_processor_ns();
  while (own_processor_ns() - from_ns < k_worked_ns) {
  }
  EXPECT_GE(*processor_ns(::getpid()) - *before, k_worked_ns / 2);
  EXPECT_FALSE(processor_ns(-1).has_value());
}

}  // namespace
}  // namespace cupel::sandbox
