// What a reader should know of programs that are no seeds, told before device time goes into them.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "engine/doors/sitting.h"

namespace cupel::engine {

// Whether a candidate must wait to be labelled before it is measured.
bool awaits_labels(const Sitting& sitting, const journal::OpenProposal& open);

// Labels all that wait for it, where the evaluator is free. The subject of the work, if some was
// started.
std::optional<std::string> start_labels(Sitting& sitting);

// Keeps what came out. What could not be labelled has none: that keeps nothing from being judged.
Status take_labels(Sitting& sitting, LabelledPrograms labelled);

}  // namespace cupel::engine
