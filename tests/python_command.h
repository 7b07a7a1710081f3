// Running the Python that the tests use. HACKING.md, "Which Python runs", has the rule.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/files.h"

namespace cupel::testing_tools {

inline std::string python() {
  const char* const chosen = std::getenv("CUPEL_PYTHON");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  const auto home = home_directory();
  const auto own = home ? *home / ".venv/bin/python" : std::filesystem::path();
  return std::filesystem::exists(own) ? own.string() : "python3";
}

// What a shell command writes to standard output.
inline std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[4096];
  while (const std::size_t got = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  pclose(pipe);
  return text;
}

}  // namespace cupel::testing_tools
