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

// Patient: on a busy machine a process may not run for seconds.
void expect_stopped(pid_t pid, bool stopped) {
  const auto is_so = [&] { return (state_of(pid) == 'T') == stopped; };
  for (int tries = 0; tries < 60'000 && !is_so(); ++tries) ::usleep(1000);
  EXPECT_TRUE(is_so()) << "its state is " << state_of(pid);
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
  for (const pid_t pid : tree) expect_stopped(pid, true);
  resume_tools();
  for (const pid_t pid : tree) expect_stopped(pid, false);
  for (const pid_t pid : tree) ::kill(pid, SIGKILL);
}

TEST(ToolPauseTest, AToolThatStartsDuringAPauseStops) {
  pause_tools();
  Process process = start_waiting_process();
  const PausableTool known(process.pid());
  expect_stopped(process.pid(), true);
  resume_tools();
  expect_stopped(process.pid(), false);
  for (const pid_t pid : process_tree(process.pid())) ::kill(pid, SIGKILL);
}

TEST(ToolPauseTest, TheTimeOfAPauseIsNoneOfTheTools) {
  Process process = start_waiting_process();
  const PausableTool tool(process.pid());
  const Deadline deadline(tool.pauses(), 1000);
  const std::int64_t at_ns = deadline.at_ns();
  pause_tools();
  for (int i = 0; i < 1'000'000 && deadline.at_ns() == at_ns; ++i) std::this_thread::yield();
  resume_tools();
  const std::int64_t later_ns = deadline.at_ns();
  EXPECT_GT(later_ns, at_ns);
  EXPECT_EQ(deadline.at_ns(), later_ns);
  for (const pid_t pid : process_tree(process.pid())) ::kill(pid, SIGKILL);
}

}  // namespace
}  // namespace cupel::sandbox
