#include "base/embedded.h"

#include <algorithm>

#include "base/result.h"

namespace cupel {
namespace {

// The filling whose name stands in braces at the front of `rest`, or null.
const Filling* filling_at(std::string_view rest, std::initializer_list<Filling> fillings) {
  const auto found = std::find_if(fillings.begin(), fillings.end(), [rest](const Filling& one) {
    const std::string_view inside = rest.substr(1);
    return inside.starts_with(one.name) && inside.substr(one.name.size()).starts_with('}');
  });
  return found == fillings.end() ? nullptr : found;
}

// The blanks at the beginning of the last line of `text`.
std::size_t blanks_of_last_line(std::string_view text) {
  const std::string_view line = text.substr(text.rfind('\n') + 1);
  return std::min(line.find_first_not_of(' '), line.size());
}

}  // namespace

std::string_view embedded_text(std::span<const EmbeddedFile> files, std::string_view name) {
  for (const EmbeddedFile& file : files) {
    if (file.name == name) return file.text;
  }
  CUPEL_CHECK(!"an embedded file is missing");
  return "";
}

std::string filled(std::string_view text, std::initializer_list<Filling> fillings) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const Filling* const filling =
        text[at] == '{' ? filling_at(text.substr(at), fillings) : nullptr;
    if (!filling) {
      result += text[at++];
      continue;
    }
    const std::string blanks(blanks_of_last_line(result), ' ');
    for (const char c : filling->value) {
      result += c;
      if (c == '\n') result += blanks;
    }
    at += filling->name.size() + 2;
  }
  return result;
}

std::string indented(std::string_view text, int blanks) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (text[at] != '\n') result.append(static_cast<std::size_t>(blanks), ' ');
    result += text.substr(at, end - at);
    at = end;
  }
  return result;
}

}  // namespace cupel
