#include "llm/wire/scrub.h"

#include <cctype>

namespace cupel::llm {
namespace {

constexpr std::size_t k_beginning_chars = 7;  // enough not to be a word of any language
constexpr std::string_view k_replacement = "[key]";

bool is_key_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '*' ||
         c == '.' || c == '+' || c == '/' || c == '=';
}

// `beginning`, of which `length_min` characters count, and the characters of a key that follow it.
void replace_words(std::string& text, std::string_view beginning, std::size_t length_min) {
  std::size_t at = 0;
  while ((at = text.find(beginning, at)) != std::string::npos) {
    std::size_t end = at + length_min;
    while (end < text.size() && is_key_char(text[end])) ++end;
    text.replace(at, end - at, k_replacement);
    at += k_replacement.size();
  }
}

}  // namespace

std::string Scrubber::scrub_whole(std::string_view text) const {
  std::string clean(text);
  if (!key_.empty()) replace_words(clean, key_, key_.size());
  return clean;
}

std::string Scrubber::scrub(std::string_view text) const {
  std::string clean = scrub_whole(text);
  if (key_.size() > 2 * k_beginning_chars) {
    replace_words(clean, std::string_view(key_).substr(0, k_beginning_chars), k_beginning_chars);
  }
  return clean;
}

}  // namespace cupel::llm
