// The search: proposals to verdicts, until the strategy wants no more or a budget is spent.
#pragma once

#include "base/result.h"
#include "engine/doors/sitting.h"
#include "search/step/strategy.h"

namespace cupel::engine {

// From where the journal stands to the end of the search, or to the user's stop. What a stop
// interrupts is dropped, but for replies: they are paid for, and settled.
Status search(Sitting& sitting, const search::Strategy& strategy);

}  // namespace cupel::engine
