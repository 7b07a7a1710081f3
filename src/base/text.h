// Text by strangers (programs, models), made fit for terminals, journals and prompts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cupel {

// At most `bytes_max` bytes of `text`, valid UTF-8. Whatever a terminal obeys becomes a space:
// control characters but newline and tab, in one byte or two (escape sequences start with them),
// and marks that turn the direction of writing, hide, break lines, or are not seen at all (tags and
// selectors of variants, which can spell a text of their own). Bytes that are no UTF-8 become
// question marks.
std::string plain_text(std::string_view text, std::size_t bytes_max);

// The same characters of a text, each as an escape that a reader sees (\x1b, \u202e) and not as a
// space; bytes that are no UTF-8 as \xff. For readers that take in what no terminal shows, such as
// language models. At most `bytes_max` bytes, cut as cut_end() does.
std::string visible_text(std::string_view text, std::size_t bytes_max);

// The first bytes; never cuts inside of a UTF-8 character.
std::string_view front_bytes(std::string_view text, std::size_t bytes_max);

// The first bytes, then " ..." where something was left out; `bytes_max` together.
std::string cut_end(std::string_view text, std::size_t bytes_max);

// As plain_text(), on one line, cut as cut_end() does.
std::string one_line(std::string_view text, std::size_t bytes_max);

// Adds to a text of which the last `bytes_max` bytes are kept.
void add_to_end(std::string& kept, std::string_view more, std::size_t bytes_max);

// A to Z of ASCII as a to z.
std::string lower_case(std::string_view text);

// Where the first byte lies that belongs to no character; npos in valid UTF-8.
std::size_t invalid_utf8(std::string_view text);

}  // namespace cupel
