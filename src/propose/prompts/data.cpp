#include "propose/prompts/data.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "propose/cut.h"

namespace cupel::propose {

std::string quoted(std::string_view text, std::size_t bytes_max) {
  std::string line = visible_text(text, bytes_max);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  std::ranges::replace_if(
      line, [](char c) { return c == '"' || c == '`'; }, '\'');
  return '"' + line + '"';
}

std::string fenced(std::string_view language, std::string_view text, std::size_t bytes_max) {
  const std::string shown = cut_middle(visible_text(text, std::string_view::npos), bytes_max);
  std::size_t longest = 2;
  for (std::size_t at = 0, run = 0; at < shown.size(); ++at) {
    run = shown[at] == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{}{}\n{}{}{}\n", fence, language, shown, shown.ends_with('\n') ? "" : "\n",
                     fence);
}

}  // namespace cupel::propose
