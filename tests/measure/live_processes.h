// What runs on this machine, as tests look for it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace cupel::measure {

// Live processes with all of these texts in their command line, whose arguments end in zeros.
inline int processes_with(const std::vector<std::string>& texts) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    const std::string line((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    count += std::ranges::all_of(
        texts, [&](const std::string& text) { return line.find(text) != std::string::npos; });
  }
  return count;
}

}  // namespace cupel::measure
