// Commands that are Python's: this process becomes the interpreter.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "options.h"

namespace cupel::cli {

// `python -m MODULE ARGUMENTS`, with Cupel's own modules first on its path. Returns only where that
// fails.
Result<int> become_python(const std::string& module, const std::vector<std::string>& arguments,
                          const Options& options);

}  // namespace cupel::cli
