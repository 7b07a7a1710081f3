// What the winner's audit reads of a program's process: its memory, and what it leaves behind
// there.
#include "measure/lane.h"

namespace cupel::measure {

void Lane::note_memory(std::int64_t calls) {
  evidence_.endurance.memory.push_back({calls, host_->memory_bytes()});
}

bool Lane::note_left_behind(double seconds_max, std::mutex& gate) {
  {
    const std::lock_guard guard(gate);
    running_ = true;
    host_->thaw();
  }
  HostReply reply = host_->left_behind(seconds_max);
  const std::lock_guard guard(gate);
  running_ = false;
  host_->freeze();
  if (reply.failed()) {
    evidence_.fault = reply.fault;
    return false;
  }
  evidence_.endurance.left_behind = std::move(reply.left_behind);
  return true;
}

}  // namespace cupel::measure
