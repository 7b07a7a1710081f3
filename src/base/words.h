// Words: runs of letters, digits and underscores of ASCII, as in names of Python and C. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace cupel {

bool is_word_char(char c);
// The next place of `word` as a whole word at or after `from`; npos if there is none.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);

}  // namespace cupel
