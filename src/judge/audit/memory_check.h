// What a device's memory checker saw of a program, in a round of the winner's audit. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/finding.h"
#include "model/evidence.h"

namespace cupel::judge {

// The first stray access in the checker's words ("Invalid __global__ read of size 4 bytes at
// kernel+0xe0"), "" for none. `output`: what the program and the checker printed, untrusted: a
// program can accuse itself, and no more.
std::string stray_access(std::string_view output);

// Reads or writes that belong to no allocation, although outputs came out right. Only the checker's
// own report counts: it breaks some programs by being there (graphs cannot be captured under it).
// `checked`: the baseline, and the program under the checker; empty where there is no checker.
std::optional<Finding> find_stray_access(const std::vector<ProgramEvidence>& checked);

// Why the checker tells nothing of this program, as a reason that decides nothing.
std::optional<Reason> memory_unchecked(const std::vector<ProgramEvidence>& checked);

}  // namespace cupel::judge
