#include "sandbox/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

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

}  // namespace
}  // namespace cupel::sandbox
