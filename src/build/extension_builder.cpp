#include "build/extension_builder.h"

#include "base/hash.h"
#include "build/cpp_builder.h"

namespace cupel::build {
namespace fs = std::filesystem;
namespace {

// Less than a host may take to load, and enough for nvcc with all of torch's headers after a try
// with the light ones.
constexpr double k_compile_seconds_max = 170;
constexpr std::uint64_t k_compile_memory_bytes_max = 16ULL << 30;
constexpr std::uint64_t k_scratch_bytes_max = 2ULL << 30;
constexpr int k_compile_processes_max = 128;

}  // namespace

BuildJail ExtensionBuilder::jail_for(const fs::path& scratch) const {
  PythonJail jail = python_jail(tools_, scratch, unjailed_);
  const std::string library = library_in(jail.directory);
  jail.request.argv = {tools_.python, "-m", "cupel.extension_builder", library};
  jail.request.memory_bytes_max = k_compile_memory_bytes_max;
  jail.request.scratch_bytes_max = k_scratch_bytes_max;
  jail.request.processes_max = k_compile_processes_max;
  return {std::move(jail.request), library};
}

Result<Artifact> ExtensionBuilder::build(const std::string& request) const {
  CUPEL_TRY(const std::string compiler, compiler_identity());
  Hasher hasher("torch extension");
  hasher.add("request", request).add("tools", tools_.identity).add("python", tools_.python);
  hasher.add("compiler", compiler);
  return build_into(cache_ / (hasher.finish() + ".so"), request, k_compile_seconds_max,
                    [this](const fs::path& scratch) { return jail_for(scratch); });
}

}  // namespace cupel::build
