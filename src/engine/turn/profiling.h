// Where a run's programs spend their time: profiled when a question is to be asked that speaks of
// it, or at the end for the report; once each, and kept in the journal.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "engine/doors/sitting.h"

namespace cupel::engine {

// Programs of a run that are profiled; each takes some seconds of the device. Eager is one.
inline constexpr std::size_t k_profiles_max = 16;

// Whether a question must wait for a profile: every one for eager's, an analysis for its parent's.
bool awaits_profile(const Sitting& sitting, const Proposal& proposal);

// Starts the profile that a question waits for, where the device is free. The subject of the work,
// if some was started.
std::optional<std::string> start_wanted_profile(Sitting& sitting);

// Starts that of the best free variant, where nothing else is to be measured and no program that
// was paid for would have to wait for it.
std::optional<std::string> start_free_profile(Sitting& sitting);

// Keeps what came out, a failure too: it is not tried again.
Status take_profile(Sitting& sitting, Profiled profiled);

// Eager's, unless the run has it: how near the machine's limits its programs are is told beside it.
Status profile_eager(Sitting& sitting);

// What a prompt is told of the profiles of its parents, of eager and of the best free variant.
void add_profiles(const journal::RunState& state, propose::Context& context);

}  // namespace cupel::engine
