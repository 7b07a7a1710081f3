// What a lane runs, and what the lanes of a round share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/arena.h"
#include "measure/device.h"
#include "measure/host_messages.h"
#include "measure/plan.h"
#include "measure/slots.h"
#include "model/candidate.h"
#include "model/evidence.h"
#include "model/task.h"

namespace cupel::measure {

struct Program {
  Candidate candidate;
  std::string class_name;  // "ModelNew", or "Model" for the reference itself
  Role role = Role::candidate;
  bool trusted = false;  // Cupel wrote it; see ProgramEvidence
  Substitution substitution = {};
  std::vector<std::string> checker = {};  // the command that it runs under, if any
  bool as_users = false;      // runs in surroundings like a user's: HostSettings::as_users
  bool does_nothing = false;  // no program: its calls show what an exchange costs
};

// What every lane of a round shares. All references outlive the lanes.
struct LaneContext {
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
