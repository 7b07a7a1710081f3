// The tests' Python as a build jail needs to know it.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>

#include "build/python_jail.h"
#include "python_command.h"

namespace cupel::testing_tools {

inline build::PythonTools python_tools(const std::filesystem::path& home, const char* imported) {
  build::PythonTools tools{python(), "", {}, home};
  std::istringstream lines(output_of(tools.python + " -c 'import sys, " + imported +
                                     "; print(sys.prefix); print(sys.base_prefix)' 2>&-"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("/usr")) tools.parts.emplace_back(line);
    tools.identity += line;
  }
  return tools;
}

// An empty identity where this Python has no torch.
inline build::PythonTools torch_tools(const std::filesystem::path& home) {
  return python_tools(home, "torch");
}

}  // namespace cupel::testing_tools
