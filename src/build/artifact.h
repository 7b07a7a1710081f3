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
  bool timed_out = false;
  std::filesystem::path path;
  std::string log;
  double seconds = 0;
};

// One build: the tool's jail, and where in it the tool leaves its library.
struct BuildJail {
  sandbox::JailRequest jail;
  std::string library;
};

// Where a tool works: `scratch` for one without a jail, else the jail's own; and its library there.
std::string tool_directory(const std::filesystem::path& scratch, bool unjailed);
std::string library_in(const std::string& directory);

// Returns `target` if it is there; else runs what `jail_for(scratch)` describes, with `input` on
// its standard input, and moves the library to `target`. Nothing else that the tool writes leaves
// its jail, and no more than jail.scratch_bytes_max of that: what a candidate has compiled may run
// code there. `scratch` is a directory for tools without a jail. Two builders of one target write
// equals: either may win. An Error means that the tool could not be run.
Result<Artifact> build_into(const std::filesystem::path& target, std::string_view input,
                            double seconds_max,
                            const std::function<BuildJail(const std::filesystem::path&)>& jail_for);

}  // namespace cupel::build
