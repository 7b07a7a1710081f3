// Texts kept within limits of bytes. Never cuts inside of a UTF-8 character.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.h"

namespace cupel::propose {

// Whole lines of the front (two thirds) and of the end, with "[... N bytes left out ...]" between.
std::string cut_middle(std::string_view text, std::size_t bytes_max);

}  // namespace cupel::propose
