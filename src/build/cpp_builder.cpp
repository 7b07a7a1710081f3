#include "build/cpp_builder.h"

#include <algorithm>
#include <fstream>

#include "base/hash.h"

namespace cupel::build {
namespace fs = std::filesystem;
namespace {

constexpr double k_compile_seconds_max = 120;
constexpr std::size_t k_version_bytes_max = 4096;
constexpr std::uint64_t k_compile_memory_bytes_max = 4ULL << 30;
// Of the compiler's own files, and of a library: both are bounded by it.
constexpr std::uint64_t k_scratch_bytes_max = 256ULL << 20;
constexpr int k_compile_processes_max = 64;

BuildJail compile_request(const CppRequest& request, const fs::path& scratch, bool unjailed) {
  sandbox::JailRequest jail;
  const std::string directory = tool_directory(scratch, unjailed);
  const std::string library = library_in(directory);
  jail.argv = {"g++", "-x", "c++", "-", "-o", library};
  jail.argv.insert(jail.argv.end(), request.flags.begin(), request.flags.end());
  jail.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "TMPDIR=" + directory};
  jail.work_directory = directory;
  jail.memory_bytes_max = k_compile_memory_bytes_max;
  jail.scratch_bytes_max = k_scratch_bytes_max;
  jail.processes_max = k_compile_processes_max;
  jail.unjailed = unjailed;
  return {jail, library};
}

Result<std::string> ask_compiler() {
  sandbox::SpawnRequest spawn;
  spawn.argv = {"sh", "-c", "echo g++ $(g++ -dumpfullversion) $(g++ -dumpmachine)"};
  spawn.environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
  CUPEL_TRY(auto run, sandbox::run_tool(spawn, "", 10, k_version_bytes_max));
  while (run.output.ends_with('\n')) run.output.pop_back();
  if (run.output.find("not found") != std::string::npos || run.output.size() < 8) {
    return environment_error("there is no C++ compiler", "g++", "apt-get install g++");
  }
  return run.output;
}

}  // namespace

std::string processor_features() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags") || line.starts_with("Features")) return line;
  }
  return "";
}

Result<std::string> compiler_identity() {
  static const Result<std::string> found = ask_compiler();
  return found;
}

std::string library_key(const CppRequest& request, const Toolchain& toolchain) {
  Hasher hasher("cpp kernel");
  hasher.add("source", request.source);
  for (const auto& flag : request.flags) hasher.add("flag", flag);
  hasher.add("compiler", toolchain.compiler).add("processor", toolchain.processor);
  return hasher.finish();
}

Result<Artifact> CppBuilder::build(const CppRequest& request) const {
  CUPEL_TRY(const std::string compiler, compiler_identity());
  const auto jail_for = [&](const fs::path& scratch) {
    return compile_request(request, scratch, unjailed_);
  };
  const std::string key = library_key(request, {compiler, processor_features()});
  return build_into(cache_ / (key + ".so"), request.source,
                    std::min(k_compile_seconds_max, request.seconds_max), jail_for);
}

}  // namespace cupel::build
