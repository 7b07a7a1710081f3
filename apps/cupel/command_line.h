// The command line's grammar and help texts.
#pragma once

#include <string>

#include "base/result.h"
#include "options.h"

namespace cupel::cli {

// What parsing gave: options to act on, or a text (help) to print and be done.
struct Parsed {
  Options options;
  std::string text;
};

// An input error for a command line that makes no sense; its hint names the help to read.
Result<Parsed> parse_command_line(int argc, const char* const* argv);

// A bash script that completes commands and options.
std::string bash_completion();

}  // namespace cupel::cli
