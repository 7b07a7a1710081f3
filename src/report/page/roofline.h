// How near a run's programs come to what the machine can do. From eager's profile, which the run
// has where programs could be profiled. Pure; thread-safe.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "journal/state.h"

namespace cupel::report {

// docs/json.md, "Pages": `roofline`; null where nothing was profiled. Programs are those of the
// final table, told by the operations that eager does and the bytes that any program must move:
// inputs, outputs and weights once.
nlohmann::json roofline_json(const journal::RunState& state);

}  // namespace cupel::report
