// What a device's memory checkers saw of a program, in rounds of the winner's audit. Pure.
#pragma once

#include <optional>
#include <vector>

#include "judge/finding.h"
#include "model/evidence.h"

namespace cupel::judge {

// Reads or writes that belong to no allocation, races for shared memory, or reads of what nobody
// has written there, although outputs came out right; in the checker's words ("Invalid __global__
// read of size 4 bytes at kernel+0xe0"). Only its own report counts: it breaks some programs by
// being there (graphs cannot be captured under it). `checked`: the baseline, and the program under
// each checker; empty where there is none.
std::optional<Finding> find_bad_memory(const std::vector<ProgramEvidence>& checked);

// Why a checker tells nothing of this program, as a reason that decides nothing.
std::optional<Reason> memory_unchecked(const std::vector<ProgramEvidence>& checked);

}  // namespace cupel::judge
