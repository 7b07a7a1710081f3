// A traceback or a compiler's log as an agent should see it.
#pragma once

#include <string>
#include <string_view>

namespace cupel::propose {

// Leaves out the frames of Cupel's own files and the lines that only underline; behind them stand
// the lines of `source` that a kernel's compiler complained about ("NAME.cpp:47:17: error: ..."),
// because a model does not count lines.
std::string shown_log(std::string_view log, std::string_view source);

}  // namespace cupel::propose
