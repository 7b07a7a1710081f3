// Python of seeds that lies in files of its own (text/*.py). Some hold {names} that a recipe fills.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/embedded.h"

namespace cupel::propose {

// All of them.
std::span<const EmbeddedFile> seed_files();

// The text of one, after an empty line. Aborts where there is no such file.
std::string seed_file(std::string_view name);

}  // namespace cupel::propose
