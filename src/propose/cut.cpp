#include "propose/cut.h"

#include <fmt/format.h>

#include <algorithm>

namespace cupel::propose {
namespace {

constexpr auto npos = std::string_view::npos;

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

std::string_view back(std::string_view text, std::size_t bytes) {
  std::size_t at = text.size() - std::min(bytes, text.size());
  while (at < text.size() && continues_character(text[at])) ++at;
  return text.substr(at);
}

// Cut to whole lines, unless that would leave nothing.
std::string_view front_lines(std::string_view text, std::size_t bytes) {
  const std::string_view part = front_bytes(text, bytes);
  const std::size_t end = part.rfind('\n');
  return end == npos ? part : part.substr(0, end + 1);
}

std::string_view back_lines(std::string_view text, std::size_t bytes) {
  const std::string_view part = back(text, bytes);
  const std::size_t line = part.find('\n');
  return line == npos || line + 1 == part.size() ? part : part.substr(line + 1);
}

std::string note(std::size_t left_out) {
  return fmt::format("[... {} bytes left out ...]\n", left_out);
}

}  // namespace

std::string cut_middle(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  const std::size_t room = bytes_max - std::min(bytes_max, note(text.size()).size() + 1);
  const std::string_view head = front_lines(text, room / 3 * 2);
  const std::string_view tail = back_lines(text, room / 3);
  const std::string_view end_of_line = head.empty() || head.ends_with('\n') ? "" : "\n";
  return fmt::format("{}{}{}{}", head, end_of_line, note(text.size() - head.size() - tail.size()),
                     tail);
}

}  // namespace cupel::propose
