// A built kernel with another body, to see whether a program's result hangs on it.
#pragma once

#include <string_view>

namespace cupel {

enum class KernelBody {
  own,
  returns,  // at once, having done nothing
  traps,    // ends the process that calls it
};
std::string_view to_string(KernelBody body);

}  // namespace cupel
