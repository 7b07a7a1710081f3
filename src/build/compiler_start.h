// What torch.compile makes on a CPU in each fresh process, whatever the program.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "build/python_jail.h"

namespace cupel::build {

// A directory in `cache` for hosts to read: python/cupel/compiler_start.py has what is in it (160
// MB). It is made once for a machine and its tools, by torch alone in a jail of its own; that takes
// some 20 s. Two makers at once make equals. An Error says why there is none; hosts do without.
Result<std::filesystem::path> compiler_start(const std::filesystem::path& cache,
                                             const PythonTools& tools, bool unjailed);

}  // namespace cupel::build
