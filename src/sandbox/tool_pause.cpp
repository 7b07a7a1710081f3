#include "sandbox/tool_pause.h"

#include <signal.h>

#include <mutex>
#include <set>

#include "base/deadline.h"
#include "sandbox/process.h"

namespace cupel::sandbox {
namespace {

struct Tools {
  std::mutex access;
  std::set<pid_t> roots;
  Pauses pauses;
};

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

// With the access held.
void signal_all(int number) {
  for (const pid_t root : tools().roots) signal_tree(root, number);
}

}  // namespace

void pause_tools() {
  const std::lock_guard guard(tools().access);
  tools().pauses.begin();
  signal_all(SIGSTOP);
}

void resume_tools() {
  const std::lock_guard guard(tools().access);
  tools().pauses.end();
  signal_all(SIGCONT);
}

PausableTool::PausableTool(pid_t root) : root_(root) {
  const std::lock_guard guard(tools().access);
  tools().roots.insert(root_);
  if (tools().pauses.lasts()) signal_tree(root_, SIGSTOP);
}

PausableTool::~PausableTool() {
  const std::lock_guard guard(tools().access);
  tools().roots.erase(root_);
}

const Pauses& PausableTool::pauses() {
  return tools().pauses;
}

}  // namespace cupel::sandbox
