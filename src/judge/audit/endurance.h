// What only the winner's audit can find: what a program does after many calls, under weights in
// turns, to outputs that it has returned, to memory, without its own kernels, on other shapes.
// Pure.
#pragma once

#include <optional>
#include <vector>

#include "judge/finding.h"
#include "model/endurance.h"
#include "model/evidence.h"
#include "model/verdict.h"

namespace cupel::judge {

// In the order of precedence. What the baseline does too is no fault of the program's.
std::optional<Finding> find_in_endurance(const Round& round, const ProgramEvidence& program);

// Memory gained steadily, in bytes, in the second half of the calls, whose inputs are those of the
// first half in another order of their rows; 0 where it was not steady.
std::int64_t steady_growth_bytes(const std::vector<MemorySample>& memory);

// A kernel that is called and whose idleness changes neither outputs nor, for the worse, times.
// `trials`: of the audit's evidence.
std::optional<Finding> find_decoy(const Round& round, const std::vector<KernelTrial>& trials);

// Wrong or broken on a shape that the task holds out; or an infra fault, where we failed to look.
std::optional<Finding> find_in_held_out(const Round& round);

// Kernels that are never called, and what of kernels, shapes and memory could not be checked, as
// reasons that decide nothing.
std::vector<Reason> notes_of(const Round& round);

}  // namespace cupel::judge
