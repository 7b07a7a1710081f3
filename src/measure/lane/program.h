// A program of a round, and how it is to run.
#pragma once

#include <string>
#include <vector>

#include "measure/host/host_messages.h"
#include "model/candidate.h"
#include "model/evidence.h"

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

}  // namespace cupel::measure
