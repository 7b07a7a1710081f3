// Files that lie beside the C++ that uses them (text/ of a module's folder), as they were when this
// was built (cmake/embed.cmake): a binary needs none of them. Some hold {names} to be filled.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace cupel {

struct EmbeddedFile {
  std::string_view name;  // "map.py"
  std::string_view text;
};

// The text of the one of that name. Aborts where there is none.
std::string_view embedded_text(std::span<const EmbeddedFile> files, std::string_view name);

// What stands for `{name}` in a text.
struct Filling {
  std::string_view name;
  std::string_view value;
};

// `text` with its names filled; a value's further lines are indented as the line that names it.
// Braces around anything else stay, and what values hold is not read as names.
std::string filled(std::string_view text, std::initializer_list<Filling> fillings);

// `text` with `blanks` blanks before each line that is not empty.
std::string indented(std::string_view text, int blanks);

}  // namespace cupel
