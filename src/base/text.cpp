#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace cupel {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

bool in_range(std::string_view character, std::string_view first, std::string_view last) {
  return first <= character && character <= last;
}

// string_view compares bytes as unsigned, and UTF-8 keeps the order of code points. Longer forms
// than needed, surrogates and what lies beyond Unicode are no characters.
bool is_valid(std::string_view character) {
  switch (character.size()) {
    case 3:
      return character >= "\xE0\xA0\x80" && !in_range(character, "\xED\xA0\x80", "\xED\xBF\xBF");
    case 4:
      return in_range(character, "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF");
    default:
      return true;
  }
}

// Bytes of the character that starts at `at`; 0 where no valid one does.
std::size_t character_bytes(std::string_view text, std::size_t at) {
  const unsigned lead = byte_at(text, at);
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xF5   ? 0
                           : lead >= 0xF0 ? 4
                           : lead >= 0xE0 ? 3
                           : lead >= 0xC2 ? 2
                                          : 0;
  if (at + size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte_at(text, at + i) & 0xC0) != 0x80) return 0;
  }
  return is_valid(text.substr(at, size)) ? size : 0;
}

bool is_obeyed(std::string_view character) {
  if (character == "\n" || character == "\t") return false;
  if (character.size() == 1) return byte_at(character, 0) < 0x20 || character == "\x7F";
  return in_range(character, "\u0080", "\u009F") || in_range(character, "\u200B", "\u200F") ||
         in_range(character, "\u2028", "\u202E") || in_range(character, "\u2060", "\u2069") ||
         in_range(character, "\uFE00", "\uFE0F") ||
         in_range(character, "\U000E0000", "\U000E0FFF") || character == "\u00AD" ||
         character == "\u061C" || character == "\u180E" || character == "\uFEFF";
}

// As Python writes the character, or a byte that belongs to none.
std::string escaped(std::string_view character) {
  const unsigned lead = byte_at(character, 0);
  if (character.size() == 1) return fmt::format("\\x{:02x}", lead);
  unsigned point = lead & (0x7Fu >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) {
    point = point << 6 | (byte_at(character, i) & 0x3F);
  }
  return point > 0xFFFF ? fmt::format("\\U{:08x}", point) : fmt::format("\\u{:04x}", point);
}

}  // namespace

std::string plain_text(std::string_view text, std::size_t bytes_max) {
  std::string plain;
  for (std::size_t at = 0; at < text.size() && plain.size() < bytes_max;) {
    const std::size_t size = character_bytes(text, at);
    const std::string_view character = text.substr(at, size);
    if (plain.size() + size > bytes_max) break;
    if (size == 0) {
      plain += '?';
    } else if (is_obeyed(character)) {
      plain += ' ';
    } else {
      plain += character;
    }
    at += size == 0 ? 1 : size;
  }
  return plain;
}

std::string visible_text(std::string_view text, std::size_t bytes_max) {
  std::string visible;
  for (std::size_t at = 0; at < text.size() && visible.size() <= bytes_max;) {
    const std::size_t size = character_bytes(text, at);
    const std::string_view character = text.substr(at, std::max<std::size_t>(size, 1));
    if (size == 0 || is_obeyed(character)) {
      visible += escaped(character);
    } else {
      visible += character;
    }
    at += character.size();
  }
  return cut_end(visible, bytes_max);
}

std::string_view front_bytes(std::string_view text, std::size_t bytes_max) {
  std::size_t size = bytes_max;
  while (size > 0 && size < text.size() && (byte_at(text, size) & 0xC0) == 0x80) --size;
  return text.substr(0, size);
}

std::string cut_end(std::string_view text, std::size_t bytes_max) {
  constexpr std::string_view k_mark = " ...";
  if (text.size() <= bytes_max) return std::string(text);
  if (bytes_max < k_mark.size()) return std::string(front_bytes(text, bytes_max));
  return std::string(front_bytes(text, bytes_max - k_mark.size())).append(k_mark);
}

void add_to_end(std::string& kept, std::string_view more, std::size_t bytes_max) {
  kept += more;
  if (kept.size() > bytes_max) kept.erase(0, kept.size() - bytes_max);
}

std::string one_line(std::string_view text, std::size_t bytes_max) {
  std::string line = plain_text(cut_end(text, bytes_max), bytes_max);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::size_t invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_bytes(text, at);
    if (size == 0) return at;
    at += size;
  }
  return std::string_view::npos;
}

}  // namespace cupel
