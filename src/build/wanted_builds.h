// What a candidate would have compiled when it is imported, found out without a device and without
// compiling anything.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "build/python_jail.h"

namespace cupel::build {

// As a host would ask for it (docs/protocol.md). Untrusted text.
struct WantedBuild {
  std::string kind;  // "cpp", "extension"
  std::string name;
  std::string source;
  std::vector<std::string> flags;
};

// Whether the source speaks of a door that builds ahead: else it need not be asked.
bool may_want_builds(std::string_view candidate_source);

// Imports the candidate in a jail with doors that note what they are asked for
// (python/cupel/wanted_builds.py). A candidate that fails, hangs or lies wants little or nothing,
// which is no Error. `architectures`: what TORCH_CUDA_ARCH_LIST says in hosts, or "". `work`: a
// directory of ours. Thread-safe.
Result<std::vector<WantedBuild>> wanted_builds(const PythonTools& tools,
                                               const std::string& architectures,
                                               const std::string& candidate_source,
                                               const std::filesystem::path& work, bool unjailed,
                                               double seconds_max);

}  // namespace cupel::build
