// Results go to stdout, everything else to stderr.
#pragma once

#include <cstdio>
#include <string>

#include "base/result.h"
#include "report/words/style.h"

namespace cupel::cli {

bool is_terminal(std::FILE* stream);

// Colours on a terminal unless NO_COLOR is set or TERM is dumb; at most 100 columns.
report::Style style_for(std::FILE* stream);

// Writes to stdout and flushes.
void print(const std::string& text);

// "cupel: WHERE: WHAT (HINT)" on stderr; with `json` one object on stdout instead.
void print_error(const Error& error, bool json);

}  // namespace cupel::cli
