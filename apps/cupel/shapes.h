// `cupel optimize` on several entry shapes: a run for each, and one table of who wins where.
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "model/run.h"
#include "options.h"

namespace cupel::cli {

// What the command line names: several tasks where --inputs describes several calls, with
// semicolons between, or where --each-shape is given; one otherwise.
Result<std::vector<Task>> load_shapes(const Options& options);

// Makes or goes on with the run of one task.
using OptimizeTask = std::function<Result<RunRecord>(const Options&, const Task&)>;

// One run after the other, each in its equal share of the budget. A --run-dir holds them as
// shape-0, shape-1, ... Prints the table, and how to ship what won. Ends at a run that was
// interrupted.
Result<int> optimize_shapes(const Options& options, const std::vector<Task>& tasks,
                            const OptimizeTask& optimize);

}  // namespace cupel::cli
