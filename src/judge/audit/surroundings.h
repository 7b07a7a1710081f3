// Whether a program is right outside the judge's jail, too: what a round showed whose hosts look
// like a user's process. Pure.
#pragma once

#include <optional>

#include "judge/finding.h"
#include "model/verdict.h"

namespace cupel::judge {

// Wrong or broken there, while the reference is right there; or an infra fault, where we failed to
// look.
std::optional<Finding> find_in_surroundings(const Round& round);

// That the reference itself fails there, as a reason that decides nothing.
std::optional<Reason> surroundings_unchecked(const Round& round);

}  // namespace cupel::judge
