#include "build/cpp_builder.h"

#include <fstream>

#include "base/hash.h"

namespace cupel::build {
namespace fs = std::filesystem;
namespace {

constexpr double k_compile_seconds_max = 120;
constexpr std::size_t k_version_bytes_max = 4096;
constexpr std::uint64_t k_compile_memory_bytes_max = 4ULL << 30;
constexpr std::uint64_t k_scratch_bytes_max = 1ULL << 30;
constexpr int k_compile_processes_max = 64;
constexpr const char* k_out_in_jail = "/out";

std::string processor_features() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags") || line.starts_with("Features")) return line;
  }
  return "";
}

sandbox::JailRequest compile_request(const CppRequest& request, const fs::path& out,
                                     bool unjailed) {
  sandbox::JailRequest jail;
  const std::string directory = unjailed ? out.string() : k_out_in_jail;
  jail.argv = {"g++", "-x", "c++", "-", "-o", directory + "/" + k_library_name};
  jail.argv.insert(jail.argv.end(), request.flags.begin(), request.flags.end());
  jail.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8",
                      "TMPDIR=" + (unjailed ? directory : "/tmp")};
  jail.binds = {{out, k_out_in_jail, true}};
  jail.work_directory = directory;
  jail.memory_bytes_max = k_compile_memory_bytes_max;
  jail.scratch_bytes_max = k_scratch_bytes_max;
  jail.processes_max = k_compile_processes_max;
  jail.unjailed = unjailed;
  return jail;
}

}  // namespace

Result<std::string> compiler_identity() {
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

std::string CppBuilder::key(const CppRequest& request) {
  Hasher hasher("cpp kernel");
  hasher.add("source", request.source);
  for (const auto& flag : request.flags) hasher.add("flag", flag);
  hasher.add("compiler", compiler_identity_).add("processor", processor_features());
  return hasher.finish();
}

Result<Artifact> CppBuilder::build(const CppRequest& request) {
  if (compiler_identity_.empty()) {
    CUPEL_TRY(compiler_identity_, compiler_identity());
  }
  const auto jail_for = [&](const fs::path& out) {
    return compile_request(request, out, unjailed_);
  };
  return build_into(cache_ / (key(request) + ".so"), request.source, k_compile_seconds_max,
                    jail_for);
}

}  // namespace cupel::build
