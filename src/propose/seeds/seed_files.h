// Python of seeds that lies in files of its own (text/*.py), as they were when this was built
// (cmake/embed.cmake). Some hold {names} that a recipe fills.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cupel::propose {

struct EmbeddedFile {
  std::string_view name;  // "map.py"
  std::string_view text;
};

// All of them.
std::span<const EmbeddedFile> seed_files();

// The text of one, after an empty line. Aborts where there is no such file.
std::string seed_file(std::string_view name);

}  // namespace cupel::propose
