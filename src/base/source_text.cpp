#include "base/source_text.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace cupel {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";
constexpr int k_cookie_lines = 2;  // Python looks for a cookie no further
constexpr std::size_t k_name_bytes_max = 40;

std::string on_line_of(std::string_view source, std::size_t at) {
  const auto line = 1 + std::count(source.begin(), source.begin() + static_cast<long>(at), '\n');
  return " (line " + std::to_string(line) + ")";
}

// A carriage return that ends no line: one reader of the text sees a new line there, another none.
std::size_t find_lone_return(std::string_view source) {
  for (std::size_t at = source.find('\r'); at != npos; at = source.find('\r', at + 1)) {
    if (source.substr(at + 1, 1) != "\n") return at;
  }
  return npos;
}

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

// The encoding that a comment names: what PEP 263's coding[:=][ \t]*([-\w.]+) matches; "": none.
std::string_view cookie_in(std::string_view comment) {
  constexpr std::string_view word = "coding";
  for (std::size_t at = comment.find(word); at != npos; at = comment.find(word, at + 1)) {
    std::string_view rest = comment.substr(at + word.size());
    if (rest.empty() || (rest.front() != ':' && rest.front() != '=')) continue;
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \t", 1)));
    const auto end = std::find_if_not(rest.begin(), rest.end(), &is_name_char);
    if (end != rest.begin()) return rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  }
  return {};
}

bool is_utf8(std::string_view encoding) {
  std::string name = lower_case(encoding);
  std::ranges::replace(name, '_', '-');
  return name == "utf-8" || name == "utf8";
}

// Of another encoding than UTF-8. A line that is neither blank nor a comment ends the search.
std::string_view foreign_cookie(std::string_view source) {
  for (int line = 0; line < k_cookie_lines; ++line) {
    const std::string_view text = source.substr(0, source.find('\n'));
    const std::size_t start = text.find_first_not_of(" \t\f\r");
    if (start != npos && text[start] != '#') return {};
    const std::string_view cookie = start == npos ? "" : cookie_in(text.substr(start));
    if (!cookie.empty()) return is_utf8(cookie) ? std::string_view() : cookie;
    source.remove_prefix(std::min(source.size(), text.size() + 1));
  }
  return {};
}

}  // namespace

std::string source_problem(std::string_view source) {
  if (source.starts_with(k_byte_order_mark)) return "it begins with a byte order mark";
  if (const std::size_t at = invalid_utf8(source); at != npos) {
    return "a byte is not UTF-8" + on_line_of(source, at);
  }
  if (const std::size_t at = source.find('\0'); at != npos) {
    return "it holds a null byte" + on_line_of(source, at);
  }
  if (const std::size_t at = find_lone_return(source); at != npos) {
    return "a carriage return ends no line" + on_line_of(source, at);
  }
  const std::string_view cookie = foreign_cookie(source);
  if (cookie.empty()) return "";
  return "its coding cookie names '" + std::string(cookie.substr(0, k_name_bytes_max)) +
         "', not utf-8";
}

}  // namespace cupel
