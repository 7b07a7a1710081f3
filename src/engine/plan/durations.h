// Seconds that a step of the search is expected to take, from what it has taken so far in this run.
#pragma once

#include <string>

#include "journal/state.h"

namespace cupel::engine {

// An answer of `provider` to a question of that kind; `otherwise` before any came.
double answer_s(const journal::RunState& state, const std::string& provider, Proposal::Kind kind,
                double otherwise);

// Judging a program: one that was bought, or one that was not, its compilation included.
double judgement_s(const journal::RunState& state, bool bought);

// Judging a seed: at its own compilation, which takes this machine as much longer than usual as
// earlier ones did, and at what judging takes beside it.
double seed_s(const journal::RunState& state, const Proposal& seed);

}  // namespace cupel::engine
