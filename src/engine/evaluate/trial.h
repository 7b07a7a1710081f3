// Rounds of the winner's audit that go to their end and are judged afterwards. Pure.
#pragma once

#include <string>
#include <vector>

#include "measure/call/plan.h"
#include "model/evidence.h"

namespace cupel::engine {

// Stops only on request, and audits nobody.
measure::Referral unhurried();

// The programs of such a round. What the round itself failed in has shown nothing of the candidate
// (programs[1]): its host's fault, then.
std::vector<ProgramEvidence> programs_of_trial(Evidence trial);

// A baseline and a candidate that could not be tried.
std::vector<ProgramEvidence> unchecked(const std::string& why);

}  // namespace cupel::engine
