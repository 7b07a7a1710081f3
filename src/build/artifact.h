// What a build leaves: a shared library in a cache, or the compiler's words.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sandbox/jail.h"

namespace cupel::build {

struct Artifact {
  bool built = false;
  bool from_cache = false;
  std::filesystem::path path;
  std::string log;
  double seconds = 0;
};

// The name that a build gives its library, in the directory that it is told.
inline constexpr const char* k_library_name = "kernel.so";

// Returns `target` if it is there; else runs the jail that `jail_for(directory)` describes, with
// `input` on its standard input, and moves DIRECTORY/kernel.so to `target`. Two builders of one
// target write equals: either may win. An Error means that the tool could not be run.
Result<Artifact> build_into(
    const std::filesystem::path& target, std::string_view input, double seconds_max,
    const std::function<sandbox::JailRequest(const std::filesystem::path&)>& jail_for);

}  // namespace cupel::build
