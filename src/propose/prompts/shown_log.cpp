#include "propose/prompts/shown_log.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <set>

#include "base/words.h"
#include "propose/cut.h"
#include "propose/python_text.h"

namespace cupel::propose {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::size_t k_quoted_max = 8;  // lines of source; the first errors tell the most
constexpr std::size_t k_quoted_bytes_max = 160;

bool is_our_frame(std::string_view line) {
  return line.starts_with("  File \"") && line.find("/cupel/") != npos;
}

bool only_underlines(std::string_view line) {
  return !trimmed(line).empty() && line.find_first_not_of(" ~^|") == npos;
}

std::string without_our_frames(std::string_view log) {
  std::string text;
  bool inside = false;
  for (const std::string_view line : lines_of(log)) {
    inside = is_our_frame(line) || (inside && line.starts_with("    "));
    if (!inside && !only_underlines(line)) text.append(line).append("\n");
  }
  return text;
}

// The text of the kernel `name`: the string that declares it.
std::string_view kernel_text(std::string_view source, const PythonText& text,
                             std::string_view name) {
  for (const PythonString& one : text.strings) {
    const std::string_view inside = source.substr(one.begin, one.end - one.begin);
    if (one.triple && find_word(inside, name) != npos && inside.find("extern") != npos) {
      return inside;
    }
  }
  return {};
}

// "NAME.cpp:47:17: error: ..." taken apart; line 0: something else.
struct Complaint {
  std::string_view name;
  int line = 0;
};

Complaint complaint_in(std::string_view line) {
  for (const std::string_view suffix : {".cpp:", ".cu(", ".cu:"}) {
    const std::size_t at = line.find(suffix);
    if (at == npos || line.find("error", at) == npos) continue;
    std::size_t begin = at;
    while (begin > 0 && is_word_char(line[begin - 1])) --begin;
    const std::string digits(line.substr(at + suffix.size()).substr(0, 6));
    return {line.substr(begin, at - begin), std::atoi(digits.c_str())};
  }
  return {};
}

}  // namespace

std::string shown_log(std::string_view log, std::string_view source) {
  std::string text = without_our_frames(log);
  const PythonText scanned = scan_python(source);
  std::set<std::string> quoted;
  for (const std::string_view line : lines_of(log)) {
    const Complaint complaint = complaint_in(line);
    if (complaint.line <= 0 || quoted.size() == k_quoted_max) continue;
    const auto lines = lines_of(kernel_text(source, scanned, complaint.name));
    if (static_cast<std::size_t>(complaint.line) > lines.size()) continue;
    const std::string quote = fmt::format(
        "line {} of {} is: {}\n", complaint.line, complaint.name,
        one_line(trimmed(lines[static_cast<std::size_t>(complaint.line) - 1]), k_quoted_bytes_max));
    if (quoted.insert(quote).second) text += quote;
  }
  return text;
}

}  // namespace cupel::propose
