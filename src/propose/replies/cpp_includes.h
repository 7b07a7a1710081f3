// Which standard headers C++ text uses without including them.
#pragma once

#include <string>
#include <string_view>

namespace cupel::propose {

// "#include <cmath>\n" for each; empty if none is missing. Knows well-known names only. In CUDA
// text (`cuda`) only CUDA's own headers count: NVRTC brings what a kernel needs of the others.
std::string missing_includes(std::string_view source, bool cuda);

}  // namespace cupel::propose
