// Whether a failing child is worth another fix, and which model should try it. Pure.
#pragma once

#include <optional>

#include "model/exchange.h"
#include "search/branches.h"

namespace cupel::search {

// The cheap model mends nearly as many errors as the strong one (71 and 79 per cent in PIKE's
// figures) at a fraction of the price, so it goes first.
struct Escalation {
  int cheap_rounds = 2;
  int strong_rounds = 2;
  int rounds_max() const { return cheap_rounds + strong_rounds; }
};

// The model for the branch's next fix; nothing where it is not to be mended any more: it is not
// mendable, all rounds are used, or it is hopeless. Hopeless means that the same error came back
// from a cheap and from a strong fix alike, or that fixes end in timeouts or in exhausted memory:
// such a design is too slow or too large, not broken.
std::optional<Tier> next_fixer(const Branch& branch, const Escalation& escalation);

}  // namespace cupel::search
