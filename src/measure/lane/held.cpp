// What the winner's audit looks at again: outputs that a host has kept, its memory, what is left
// behind in its process.
#include "measure/lane/host_lane.h"

namespace cupel::measure {

int HostLane::hold(const CallPlace& place, double seconds_max, std::mutex* gate) {
  const HostReply reply = ask_beside(gate, [&] { return host_->hold(seconds_max); });
  return take_fault(reply, place) ? -1 : held_++;
}

bool HostLane::recall_timed(const CallPlace& place, int index, double seconds_max) {
  if (const auto poisoned = slots_.poison_for_recall(); !poisoned)
    return device_failed(poisoned.error());
  const HostReply reply = host_->recall(index, slots_.output_at(0), seconds_max);
  host_->freeze();
  if (take_fault(reply, place) || !form_matches(place, reply.results[0])) return false;
  if (const auto filled = slots_.fill_in_inputs(place); !filled)
    return device_failed(filled.error());
  const auto same = slots_.same_as_snapshot(place);
  if (!same) return device_failed(same.error());
  ++evidence_.endurance.recalled;
  if (!*same) evidence_.endurance.changed.push_back(place.input);
  return true;
}

bool HostLane::recall(const CallPlace& place, int index, double seconds_max, std::mutex& gate) {
  {
    const std::lock_guard guard(gate);
    if (const auto poisoned = slots_.poison_for_recall(); !poisoned) {
      return device_failed(poisoned.error());
    }
    running_ = true;
    host_->thaw();
  }
  const HostReply reply = host_->recall(index, slots_.output_at(0), seconds_max);
  const std::lock_guard guard(gate);
  running_ = false;
  if (const auto filled = slots_.fill_in_inputs(place); !filled)
    return device_failed(filled.error());
  const auto begun = slots_.begin_snapshots({place});
  host_->freeze_beside();
  if (take_fault(reply, place)) return false;
  if (!begun) return device_failed(begun.error());
  const Status taken = take_outputs(place, 0, begun->at(0));
  if (!taken) return device_failed(taken.error());
  return form_matches(place, reply.results[0]);
}

void HostLane::note_memory(std::int64_t calls) {
  evidence_.endurance.memory.push_back({calls, host_->memory_bytes()});
}

bool HostLane::note_left_behind(double seconds_max, std::mutex& gate) {
  HostReply reply = ask_beside(&gate, [&] { return host_->left_behind(seconds_max); });
  if (reply.failed()) {
    evidence_.fault = reply.fault;
    return false;
  }
  evidence_.endurance.left_behind = std::move(reply.left_behind);
  return true;
}

}  // namespace cupel::measure
