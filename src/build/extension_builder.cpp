#include "build/extension_builder.h"

#include <cstdlib>

#include "base/hash.h"
#include "build/cpp_builder.h"

namespace cupel::build {
namespace fs = std::filesystem;
namespace {

// nvcc on a large source with all of torch's headers, twice where the light ones do not do.
constexpr double k_compile_seconds_max = 300;
constexpr std::uint64_t k_compile_memory_bytes_max = 16ULL << 30;
constexpr std::uint64_t k_scratch_bytes_max = 2ULL << 30;
constexpr int k_compile_processes_max = 128;
constexpr const char* k_out_in_jail = "/out";

fs::path cuda_home() {
  const char* const named = std::getenv("CUDA_HOME");
  return named != nullptr && *named != '\0' ? named : "/usr/local/cuda";
}

}  // namespace

sandbox::JailRequest ExtensionBuilder::jail_for(const fs::path& out) const {
  sandbox::JailRequest jail;
  const std::string directory = unjailed_ ? out.string() : k_out_in_jail;
  const std::string scratch = unjailed_ ? out.string() : "/tmp";
  const std::string bin = fs::path(tools_.python).parent_path().string();
  const std::string cuda = cuda_home().string();
  jail.argv = {tools_.python, "-m", "cupel.extension_builder", directory + "/" + k_library_name};
  jail.environment = {"PATH=" + bin + ":" + cuda + "/bin:/usr/local/bin:/usr/bin:/bin",
                      "PYTHONPATH=" + (tools_.home / "python").string(),
                      "PYTHONDONTWRITEBYTECODE=1",
                      "PYTHONWARNINGS=ignore",
                      "CUDA_HOME=" + cuda,
                      "HOME=" + scratch,
                      "LC_ALL=C.UTF-8",
                      "TMPDIR=" + scratch};
  jail.binds = {{out, k_out_in_jail, true}, {tools_.home / "python", {}, false}};
  for (const auto& prefix : tools_.prefixes) jail.binds.push_back({prefix, {}, false});
  std::error_code failure;
  if (!cuda.starts_with("/usr/") && fs::is_directory(cuda, failure)) {
    jail.binds.push_back({cuda, {}, false});
  }
  jail.work_directory = directory;
  jail.memory_bytes_max = k_compile_memory_bytes_max;
  jail.scratch_bytes_max = k_scratch_bytes_max;
  jail.processes_max = k_compile_processes_max;
  jail.unjailed = unjailed_;
  return jail;
}

Result<Artifact> ExtensionBuilder::build(const std::string& request) {
  CUPEL_TRY(const std::string compiler, compiler_identity());
  Hasher hasher("torch extension");
  hasher.add("request", request).add("tools", tools_.identity).add("python", tools_.python);
  hasher.add("compiler", compiler);
  return build_into(cache_ / (hasher.finish() + ".so"), request, k_compile_seconds_max,
                    [this](const fs::path& out) { return jail_for(out); });
}

}  // namespace cupel::build
