// How text is laid out: decided by the caller, who knows the terminal.
#pragma once

#include <string>
#include <string_view>

namespace cupel::report {

struct Style {
  bool color = false;  // ANSI colours
  int width = 100;     // columns; lines are kept within where cutting loses nothing important
};

enum class Color { plain, bold, dim, green, red, yellow };

// `text` in that colour, or as it is when the style has none.
std::string paint(const Style& style, Color color, std::string_view text);

// Columns that a UTF-8 text takes: code points; escape sequences take none.
std::size_t display_width(std::string_view text);

// At most `width` columns, cut with ".." where it is longer; control characters become spaces.
std::string cut(std::string_view text, std::size_t width);

// Words of `text` on lines of at most `width` columns, each after `indent` spaces.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace cupel::report
