#include "sandbox/tool_pause.h"

#include <gtest/gtest.h>

#include <signal.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "sandbox/process.h"

namespace cupel::sandbox {
namespace {

// The kernel's letter for what a process does; 'T': stopped.
char state_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto after_name = text.rfind(") ");
  return after_name == std::string::npos ? '?' : text.at(after_name + 2);
}

void await_stopped(pid_t pid, bool stopped) {
  while ((state_of(pid) == 'T') != stopped) std::this_thread::yield();
}

Process start_waiting_process() {
  SpawnRequest request;
  request.argv = {"/bin/sh", "-c", "sleep 1000 & wait"};
  auto process = Process::spawn(request);
  EXPECT_TRUE(process.has_value());
  return std::move(*process);
}

TEST(ToolPauseTest, StopsAKnownToolWithItsChildrenUntilResumed) {
  Process process = start_waiting_process();
  std::vector<pid_t> tree;
  while (tree.size() < 2) tree = process_tree(process.pid());
  const PausableTool known(process.pid());
  pause_tools();
  for (const pid_t pid : tree) await_stopped(pid, true);
  resume_tools();
  for (const pid_t pid : tree) await_stopped(pid, false);
  for (const pid_t pid : tree) ::kill(pid, SIGKILL);
}

TEST(ToolPauseTest, AToolThatStartsDuringAPauseStops) {
  pause_tools();
  Process process = start_waiting_process();
  const PausableTool known(process.pid());
  await_stopped(process.pid(), true);
  resume_tools();
  await_stopped(process.pid(), false);
  for (const pid_t pid : process_tree(process.pid())) ::kill(pid, SIGKILL);
}

TEST(ToolPauseTest, TheTimeOfAPauseIsNoneOfTheTools) {
  Process process = start_waiting_process();
  const PausableTool before(process.pid());
  EXPECT_EQ(before.paused_ns(), 0);
  pause_tools();
  const PausableTool during(process.pid());
  while (during.paused_ns() == 0) std::this_thread::yield();
  EXPECT_GE(before.paused_ns(), during.paused_ns());
  resume_tools();
  const std::int64_t paused_ns = before.paused_ns();
  EXPECT_GT(paused_ns, 0);
  EXPECT_EQ(before.paused_ns(), paused_ns);
  for (const pid_t pid : process_tree(process.pid())) ::kill(pid, SIGKILL);
}

}  // namespace
}  // namespace cupel::sandbox
