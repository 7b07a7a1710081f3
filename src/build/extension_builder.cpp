#include "build/extension_builder.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/files.h"
#include "base/hash.h"

namespace cupel::build {
namespace fs = std::filesystem;
namespace {

// Less than a host may take to load, and enough for nvcc with all of torch's headers after a try
// with the light ones.
constexpr double k_compile_seconds_max = 170;
constexpr std::uint64_t k_compile_memory_bytes_max = 16ULL << 30;
constexpr std::uint64_t k_scratch_bytes_max = 2ULL << 30;
constexpr int k_compile_processes_max = 128;
constexpr double k_nvcc_seconds_max = 10;
constexpr std::size_t k_nvcc_bytes_max = 4096;
constexpr std::size_t k_own_file_bytes_max = 1 << 20;

// What nvcc says of itself; what the shell says where there is none.
Result<std::string> ask_nvcc() {
  sandbox::SpawnRequest spawn;
  spawn.argv = {"sh", "-c", "nvcc --version"};
  spawn.environment = {"PATH=" + (cuda_home() / "bin").string() + ":/usr/local/bin:/usr/bin:/bin"};
  CUPEL_TRY(const auto run, sandbox::run_tool(spawn, "", k_nvcc_seconds_max, k_nvcc_bytes_max));
  return run.output;
}

Result<std::string> nvcc_identity() {
  static const Result<std::string> found = ask_nvcc();
  return found;
}

}  // namespace

Result<std::string> own_files_digest(const fs::path& home) {
  const fs::path package = home / "python/cupel";
  std::vector<fs::path> files{package / "extension_builder.py", package / "light_extension.py"};
  std::error_code failure;
  for (fs::recursive_directory_iterator at(package / "light_headers", failure), end;
       !failure && at != end; at.increment(failure)) {
    if (at->is_regular_file(failure)) files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  Hasher hasher("extension tools");
  for (const fs::path& file : files) {
    CUPEL_TRY(const std::string text, read_file(file, k_own_file_bytes_max));
    hasher.add("path", file.lexically_relative(package).string()).add("text", text);
  }
  return hasher.finish();
}

std::string extension_key(const std::string& request, const ExtensionToolchain& toolchain) {
  Hasher hasher("torch extension");
  hasher.add("request", request).add("tools", toolchain.identity).add("python", toolchain.python);
  hasher.add("compiler", toolchain.cpp.compiler).add("nvcc", toolchain.nvcc);
  hasher.add("processor", toolchain.cpp.processor).add("own files", toolchain.own_files);
  return hasher.finish();
}

BuildJail ExtensionBuilder::jail_for(const fs::path& scratch) const {
  PythonJail jail = python_jail(tools_, scratch, unjailed_);
  const std::string library = library_in(jail.directory);
  jail.request.argv = {tools_.python, "-m", "cupel.extension_builder", library};
  jail.request.memory_bytes_max = k_compile_memory_bytes_max;
  jail.request.scratch_bytes_max = k_scratch_bytes_max;
  jail.request.processes_max = k_compile_processes_max;
  return {std::move(jail.request), library};
}

Result<std::string> ExtensionBuilder::key(const std::string& request) const {
  CUPEL_TRY(const std::string compiler, compiler_identity());
  CUPEL_TRY(const std::string nvcc, nvcc_identity());
  CUPEL_TRY(const std::string own, own_files_digest(tools_.home));
  return extension_key(
      request, {{compiler, processor_features()}, nvcc, tools_.python, tools_.identity, own});
}

Result<Artifact> ExtensionBuilder::build(const std::string& request, double seconds_max) const {
  CUPEL_TRY(const std::string name, key(request));
  return build_into(cache_ / (name + ".so"), request, std::min(k_compile_seconds_max, seconds_max),
                    [this](const fs::path& scratch) { return jail_for(scratch); });
}

}  // namespace cupel::build
