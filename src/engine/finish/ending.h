// The end of a run: the final table, the winner's audit, the winner's file, what was learned.
#pragma once

#include "base/result.h"
#include "engine/doors/sitting.h"

namespace cupel::engine {

// All programs that matter, measured side by side, and the winner's audit; both once more where
// that struck a program whose place another can take.
Status hold_final_rounds(Sitting& sitting);

// Settles who wins, writes the file and finishes the run.
Status ship(Sitting& sitting);

}  // namespace cupel::engine
