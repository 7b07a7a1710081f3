#include "sandbox/tool_pause.h"

#include <signal.h>

#include <mutex>
#include <set>

#include "base/clock.h"
#include "sandbox/process.h"

namespace cupel::sandbox {
namespace {

struct Tools {
  std::mutex access;
  std::set<pid_t> roots;
  bool paused = false;
  std::int64_t since_ns = 0;  // the pause that lasts
  std::int64_t ended_ns = 0;  // the length of those that are over
};

// With the access held.
std::int64_t paused_ns_of(const Tools& all) {
  return all.ended_ns + (all.paused ? SystemClock().now_ns() - all.since_ns : 0);
}

Tools& tools() {
  static Tools all;
  return all;
}

// Twice, since a process may have forked while the tree was read.
void signal_tree(pid_t root, int number) {
  for (int pass = 0; pass < 2; ++pass) {
    for (const pid_t pid : process_tree(root)) ::kill(pid, number);
  }
}

void signal_all(bool pause) {
  const std::lock_guard guard(tools().access);
  tools().ended_ns = paused_ns_of(tools());
  tools().since_ns = SystemClock().now_ns();
  tools().paused = pause;
  for (const pid_t root : tools().roots) signal_tree(root, pause ? SIGSTOP : SIGCONT);
}

}  // namespace

void pause_tools() {
  signal_all(true);
}

void resume_tools() {
  signal_all(false);
}

PausableTool::PausableTool(pid_t root) : root_(root) {
  const std::lock_guard guard(tools().access);
  tools().roots.insert(root_);
  paused_before_ns_ = paused_ns_of(tools());
  if (tools().paused) signal_tree(root_, SIGSTOP);
}

PausableTool::~PausableTool() {
  const std::lock_guard guard(tools().access);
  tools().roots.erase(root_);
}

std::int64_t PausableTool::paused_ns() const {
  const std::lock_guard guard(tools().access);
  return paused_ns_of(tools()) - paused_before_ns_;
}

}  // namespace cupel::sandbox
