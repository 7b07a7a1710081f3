#include "build/python_jail.h"

#include <cstdlib>

#include "build/artifact.h"

namespace cupel::build {
namespace fs = std::filesystem;

fs::path cuda_home() {
  const char* const named = std::getenv("CUDA_HOME");
  return named != nullptr && *named != '\0' ? named : "/usr/local/cuda";
}

PythonJail python_jail(const PythonTools& tools, const fs::path& scratch, bool unjailed) {
  PythonJail jail{{}, tool_directory(scratch, unjailed)};
  const std::string bin = fs::path(tools.python).parent_path().string();
  const std::string cuda = cuda_home().string();
  sandbox::JailRequest& request = jail.request;
  request.environment = {"PATH=" + bin + ":" + cuda + "/bin:/usr/local/bin:/usr/bin:/bin",
                         "PYTHONPATH=" + (tools.home / "python").string(),
                         "PYTHONDONTWRITEBYTECODE=1",
                         "PYTHONWARNINGS=ignore",
                         "CUDA_HOME=" + cuda,
                         "HOME=" + jail.directory,
                         "LC_ALL=C.UTF-8",
                         "TMPDIR=" + jail.directory};
  request.binds = {{tools.home / "python/cupel", {}, false}};
  for (const auto& part : tools.parts) request.binds.push_back({part, {}, false});
  std::error_code failure;
  if (!cuda.starts_with("/usr/") && fs::is_directory(cuda, failure)) {
    request.binds.push_back({cuda, {}, false});
  }
  request.work_directory = jail.directory;
  request.unjailed = unjailed;
  return jail;
}

}  // namespace cupel::build
