// A suite as it lies on the disk: SUITE/STRATEGY/TASK/1, 2, ...
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/suite/suite_report.h"

namespace cupel::cli {

// The directory that a RUN argument names, if it is one of a suite: a path, or a name below the
// directory of runs.
std::optional<std::filesystem::path> suite_directory(const std::string& argument);

// Its runs, in the order of strategies' and tasks' names. A journal that cannot be read is an
// entry with a problem.
Result<std::vector<report::SuiteEntry>> read_suite(const std::filesystem::path& directory);

}  // namespace cupel::cli
