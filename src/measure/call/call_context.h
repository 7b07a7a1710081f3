// What the calls of a round have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "measure/call/plan.h"
#include "measure/device/arena.h"
#include "measure/device/device.h"
#include "measure/device/slots.h"
#include "measure/host/host_messages.h"
#include "model/task.h"

namespace cupel::measure {

// What all calls of all lanes of a round have in common. All references outlive the lanes.
struct CallContext {
  Device& device;
  const TaskFacts& facts;
  const Arena& vault;
  const VaultLayout& layout;
  const std::vector<InstanceState>& weights;  // offsets relative to each instance's region
  const MeasurePlan& plan;
  bool strict_strides = false;
  bool may_mutate_inputs = false;
  int batch_calls_max = 1;
  std::uint64_t shift_key = 0;  // secret; where an input lies in its slot follows from it
};

}  // namespace cupel::measure
