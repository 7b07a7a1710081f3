// The jail in which this project's Python helps to build: torch and compilers, no device.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sandbox/jail.h"

namespace cupel::build {

// The Python that has the torch to build against.
struct PythonTools {
  std::string python;                        // its executable
  std::string identity;                      // "3.12.3, torch 2.11.0": another, another key
  std::vector<std::filesystem::path> parts;  // of its installation, that a jail must see
  std::filesystem::path home;                // Cupel's, with python/cupel in it
};

// $CUDA_HOME, or where CUDA's toolkit lies as a rule.
std::filesystem::path cuda_home();

// What is written there stays in the jail. `scratch`: a directory for tools without a jail.
struct PythonJail {
  sandbox::JailRequest request;  // without argv and limits
  std::string directory;         // where the tool may write, as it sees it
};
PythonJail python_jail(const PythonTools& tools, const std::filesystem::path& scratch,
                       bool unjailed);

}  // namespace cupel::build
