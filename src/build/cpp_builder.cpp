#include "build/cpp_builder.h"

#include <fstream>

#include "base/clock.h"
#include "base/files.h"
#include "base/hash.h"
#include "sandbox/jail.h"

namespace cupel::build {
namespace fs = std::filesystem;
namespace {

constexpr double k_compile_seconds_max = 120;
constexpr std::size_t k_log_bytes_max = 32 << 10;
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
  jail.argv = {"g++", "-x", "c++", "-", "-o", directory + "/kernel.so"};
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
  CUPEL_TRY(auto run, sandbox::run_tool(spawn, "", 10, k_log_bytes_max));
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

Result<CppArtifact> CppBuilder::build(const CppRequest& request) {
  if (compiler_identity_.empty()) {
    CUPEL_TRY(compiler_identity_, compiler_identity());
  }
  CUPEL_TRY_STATUS(make_directories(cache_));
  const fs::path target = cache_ / (key(request) + ".so");
  std::error_code failure;
  if (fs::exists(target, failure)) {
    CppArtifact artifact;
    artifact.built = true;
    artifact.from_cache = true;
    artifact.path = target;
    return artifact;
  }
  return compile(request, target);
}

Result<CppArtifact> CppBuilder::compile(const CppRequest& request, const fs::path& target) {
  CUPEL_TRY(TempDir out, TempDir::create(cache_, "compile"));
  const SystemClock clock;
  const auto start_ns = clock.now_ns();
  CUPEL_TRY(auto run, sandbox::run_in_jail(compile_request(request, out.path(), unjailed_),
                                           request.source, k_compile_seconds_max, k_log_bytes_max));
  CppArtifact artifact;
  artifact.seconds = static_cast<double>(clock.now_ns() - start_ns) / k_ns_per_s;
  artifact.log = run.timed_out ? "the compiler took too long" : run.output;
  const fs::path made = out.path() / "kernel.so";
  std::error_code failure;
  const bool usable = fs::is_regular_file(fs::symlink_status(made, failure));
  if (run.timed_out || run.status.code != 0 || run.status.signal != 0 || !usable) return artifact;
  fs::rename(made, target, failure);
  if (failure) return infra_error("cannot store a compiled kernel: " + failure.message(), target);
  artifact.built = true;
  artifact.path = target;
  return artifact;
}

}  // namespace cupel::build
