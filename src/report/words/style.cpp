#include "report/words/style.h"

#include <fmt/format.h>

#include <sstream>

#include "base/text.h"

namespace cupel::report {
namespace {

std::string_view code(Color color) {
  switch (color) {
    case Color::bold:
      return "1";
    case Color::dim:
      return "2";
    case Color::green:
      return "32";
    case Color::red:
      return "31";
    case Color::yellow:
      return "33";
    case Color::plain:
      break;
  }
  return "";
}

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

std::string paint(const Style& style, Color color, std::string_view text) {
  if (!style.color || color == Color::plain) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code(color), text);
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  bool escaped = false;
  for (const char c : text) {
    if (c == '\033') escaped = true;
    if (!escaped && !continues(c)) ++width;
    if (escaped && c == 'm') escaped = false;
  }
  return width;
}

std::string cut(std::string_view untrusted, std::size_t width) {
  const std::string text = plain_text(untrusted, std::string::npos);
  constexpr std::string_view k_mark = "..";
  const bool fits = display_width(text) <= width;
  const std::size_t room = fits || width <= k_mark.size() ? width : width - k_mark.size();
  std::string kept;
  std::size_t columns = 0;
  for (const char c : text) {
    if (!continues(c) && ++columns > room) break;
    kept += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return fits || width <= k_mark.size() ? kept : kept.append(k_mark);
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::istringstream words{std::string(text)};
  std::string lines;
  std::string line;
  for (std::string word; words >> word;) {
    if (!line.empty() && indent + display_width(line) + 1 + display_width(word) > width) {
      lines += margin + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? lines : lines + margin + line + "\n";
}

}  // namespace cupel::report
