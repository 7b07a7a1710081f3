// A run in the form that the options ask for.
#pragma once

#include "model/run.h"
#include "options.h"

namespace cupel::cli {

void print_run(const RunRecord& run, const Options& options);

}  // namespace cupel::cli
