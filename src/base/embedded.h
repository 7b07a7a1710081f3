// Files that lie beside the C++ that uses them (text/ of a module's folder), as they were when this
// was built (cmake/embed.cmake): a binary needs none of them. Some hold {names} to be filled.
#pragma once

#include <span>
#include <string_view>

namespace cupel {

struct EmbeddedFile {
  std::string_view name;  // "map.py"
  std::string_view text;
};

// The text of the one of that name. Aborts where there is none.
std::string_view embedded_text(std::span<const EmbeddedFile> files, std::string_view name);

}  // namespace cupel
