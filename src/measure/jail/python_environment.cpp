#include "measure/jail/python_environment.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "measure/jail/python_files.h"
#include "sandbox/process.h"

namespace cupel::measure {
namespace {

constexpr double k_inspect_seconds_max = 30;
constexpr std::size_t k_inspect_output_bytes_max = 1 << 16;
constexpr int k_torch_major_min = 2;
constexpr int k_torch_minor_min = 6;

bool old_torch(const std::string& version) {
  int major = 0;
  int minor = 0;
  std::sscanf(version.c_str(), "%d.%d", &major, &minor);
  return major < k_torch_major_min || (major == k_torch_major_min && minor < k_torch_minor_min);
}

// Leaves out what lies in a directory that is in the list already, or in /usr (always bound).
std::vector<std::filesystem::path> outermost(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> kept;
  for (const auto& path : paths) {
    bool covered = lies_in(path, "/usr");
    for (const auto& other : paths) {
      if (other != path && other != "/" && lies_in(path, other)) covered = true;
    }
    const bool repeated = std::find(kept.begin(), kept.end(), path) != kept.end();
    if (!covered && !repeated) kept.emplace_back(path);
  }
  return kept;
}

}  // namespace

std::string choose_python(const std::string& chosen, const std::filesystem::path& home) {
  if (!chosen.empty()) return chosen;
  if (const char* named = std::getenv("CUPEL_PYTHON"); named && *named) return named;
  const auto own = home / ".venv/bin/python";
  return std::filesystem::exists(own) ? own.string() : "python3";
}

Result<PythonEnvironment> inspect_python(const std::string& executable) {
  sandbox::SpawnRequest request;
  request.argv = {executable, "-c",
                  std::string(embedded_text(python_files(), "inspect_python.py"))};
  request.environment = {"PATH=" + sandbox::environment_or("PATH", "/usr/bin:/bin"),
                         "HOME=" + sandbox::environment_or("HOME", "/")};
  CUPEL_TRY(auto run,
            sandbox::run_tool(request, "", k_inspect_seconds_max, k_inspect_output_bytes_max));
  const auto json = nlohmann::json::parse(run.output, nullptr, false);
  if (run.status.code != 0 || run.status.signal != 0 || !json.is_object()) {
    return environment_error("this Python does not run: " + describe(run.status), executable,
                             "set CUPEL_PYTHON to a Python 3.10 or newer that has torch");
  }
  PythonEnvironment found;
  found.executable = json.value("executable", executable);
  found.version = json.value("version", "");
  found.torch_version = json.value("torch", "");
  found.parts = outermost(json.value("paths", std::vector<std::string>{}));
  if (found.torch_version.empty()) {
    return environment_error("this Python has no torch", found.executable,
                             "pip install torch, or set CUPEL_PYTHON to a Python that has it");
  }
  if (old_torch(found.torch_version)) {
    return environment_error("torch " + found.torch_version + " is too old", found.executable,
                             "Cupel supports torch 2.6 and newer");
  }
  return found;
}

}  // namespace cupel::measure
