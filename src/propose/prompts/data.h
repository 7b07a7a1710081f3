// What candidates wrote, and tools that ran them, as it stands in prompts: as data, which
// prompts/shared/state.txt says of it. Whatever of theirs an agent is told goes through one of
// these. Nothing in it can end the quotes or the fence; what a reader would not see is written out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cupel::propose {

// One line in double quotes; `bytes_max` without them.
std::string quoted(std::string_view text, std::size_t bytes_max);

// Lines between fences, which are not counted; what is longer is cut in its middle.
std::string fenced(std::string_view language, std::string_view text, std::size_t bytes_max);

}  // namespace cupel::propose
