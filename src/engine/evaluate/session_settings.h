// What a measuring session needs of this machine, for a run's options.
#pragma once

#include "base/result.h"
#include "engine/evaluate/real_evaluator.h"
#include "measure/session.h"

namespace cupel::engine {

// All but the door to builds. Errors as of make_real_evaluator().
Result<measure::SessionSettings> session_settings(const RunOptions& options,
                                                  const EvaluatorSettings& settings);

}  // namespace cupel::engine
