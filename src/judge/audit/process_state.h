// What a program leaves behind in its process, for all other code of its user's there. Pure.
#pragma once

#include <optional>

#include "judge/finding.h"
#include "model/evidence.h"
#include "model/verdict.h"

namespace cupel::judge {

// Whether a change may make other code wrong; the others cost it time at most, are what honest
// programs do to build and to run, or let arithmetic be no less precise than the policy does: they
// are noted.
bool breaks_other_code(const StateChange& change, Policy policy);

// A change that breaks other code, and that the baseline does not make as well.
std::optional<Finding> find_left_behind(const Round& round, const ProgramEvidence& program);

// The other changes, as one reason that decides nothing.
std::optional<Reason> left_behind_note(const Round& round, const ProgramEvidence& program);

}  // namespace cupel::judge
