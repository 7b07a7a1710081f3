// Whether a failing child is worth another fix, and which model should try it. Pure.
#pragma once

#include <optional>

#include "model/exchange.h"
#include "search/history/branches.h"

namespace cupel::search {

// The cheap model mends nearly as many errors as the strong one (71 and 79 per cent in PIKE's
// figures) at a quarter of the price, so per dollar a strong fix is the worse buy while the cheap
// model gets anywhere.
struct Escalation {
  int cheap_rounds = 4;
  int strong_rounds = 1;
  int rounds_max() const { return cheap_rounds + strong_rounds; }
};

// The model for the branch's next fix; nothing where it is not to be mended any more: it is not
// mendable, all rounds are used, or it is hopeless. Hopeless means that the same error came back
// from two cheap fixes and a strong one, or that fixes end in timeouts or in exhausted memory:
// such a design is too slow or too large, not broken.
std::optional<Tier> next_fixer(const Branch& branch, const Escalation& escalation);

}  // namespace cupel::search
