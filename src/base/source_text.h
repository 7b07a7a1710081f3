// Whether a Python source is the same program to everybody who reads it. Pure.
#pragma once

#include <string>
#include <string_view>

namespace cupel {

// "" for a text that Python compiles to the same program as a string, as bytes and as a file, and
// that stays what it is behind further lines of comment; else what makes it two programs, and on
// which line. Wanted is UTF-8 without a byte order mark, null bytes, carriage returns that end no
// line, and a coding cookie (PEP 263) of another encoding.
std::string source_problem(std::string_view source);

}  // namespace cupel
