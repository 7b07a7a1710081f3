#include "build/compiler_start.h"

#include "base/files.h"
#include "base/hash.h"
#include "build/cpp_builder.h"

namespace cupel::build {
namespace fs = std::filesystem;
namespace {

constexpr double k_seconds_max = 180;  // on a busy machine; alone it takes 20
constexpr std::uint64_t k_memory_bytes_max = 4ULL << 30;
constexpr std::uint64_t k_written_bytes_max = 1ULL << 30;  // headers of 160 MB are in it
constexpr int k_processes_max = 64;
constexpr std::size_t k_log_bytes_max = 4096;
constexpr std::size_t k_script_bytes_max = 64 << 10;
constexpr const char* k_out_in_jail = "/opt/cupel/out";

Result<std::string> key_of(const PythonTools& tools) {
  CUPEL_TRY(const std::string compiler, compiler_identity());
  CUPEL_TRY(const std::string script,
            read_file(tools.home / "python/cupel/compiler_start.py", k_script_bytes_max));
  Hasher hasher("compiler start");
  hasher.add("tools", tools.identity).add("python", tools.python).add("compiler", compiler);
  hasher.add("processor", processor_features()).add("script", script);
  return hasher.finish();
}

Status make_in(const fs::path& out, const PythonTools& tools, bool unjailed) {
  PythonJail jail = python_jail(tools, out, unjailed);
  sandbox::JailRequest& request = jail.request;
  request.binds.push_back({out, k_out_in_jail, true});
  request.argv = {tools.python, "-m", "cupel.compiler_start",
                  unjailed ? out.string() : k_out_in_jail};
  request.memory_bytes_max = k_memory_bytes_max;
  request.scratch_bytes_max = k_written_bytes_max;
  request.processes_max = k_processes_max;
  CUPEL_TRY(const auto run, sandbox::run_in_jail(request, "", k_seconds_max, k_log_bytes_max));
  if (!run.timed_out && run.status.code == 0 && run.status.signal == 0) return {};
  return infra_error("torch.compile does not start: " + run.output, tools.python);
}

}  // namespace

Result<fs::path> compiler_start(const fs::path& cache, const PythonTools& tools, bool unjailed) {
  CUPEL_TRY(const std::string key, key_of(tools));
  const fs::path target = cache / ("torch-compile-" + key);
  std::error_code failure;
  if (fs::exists(target, failure)) return target;
  CUPEL_TRY(const TempDir made, TempDir::create(cache, "torch-compile"));
  const fs::path out = made.path() / "out";
  CUPEL_TRY_STATUS(make_directories(out));
  CUPEL_TRY_STATUS(make_in(out, tools, unjailed));
  fs::rename(out, target, failure);
  if (failure && !fs::exists(target)) {
    return infra_error("cannot keep what torch.compile starts with: " + failure.message(), target);
  }
  return target;
}

}  // namespace cupel::build
