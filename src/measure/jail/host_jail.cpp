#include "measure/jail/host_jail.h"

#include "measure/jail/own_files.h"
#include "measure/jail/users_jail.h"

namespace cupel::measure {
namespace {

constexpr const char* k_probe_in_jail = "/opt/cupel/libcupel_probe.so";

// Where the probe library lies: by itself outside a jail, bound to a fixed place inside.
std::string probe_path(const HostSettings& settings, bool inside) {
  if (settings.probe.empty()) return "";
  return inside ? k_probe_in_jail : settings.probe.string();
}

// glibc's heap grows and refaults as small blocks happen to lie: the same program takes 0.7 ms or
// 12 ms a call. jemalloc, told to keep what is freed, settles after two calls; it is also the
// harder baseline to beat, because temporaries cost eager mode less.
std::vector<std::string> allocator_environment(const HostSettings& settings, bool inside) {
  const std::string preload = probe_path(settings, inside);
  if (settings.allocator.empty()) {
    return {"LD_PRELOAD=" + preload, "MALLOC_TRIM_THRESHOLD_=4000000000"};
  }
  return {"LD_PRELOAD=" + preload + " " + settings.allocator.string(), k_allocator_keeps_memory};
}

std::vector<std::string> joined(std::vector<std::string> left,
                                const std::vector<std::string>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

// Under a memory checker each tensor is an allocation of its own, beyond which nothing belongs to
// the program; the checker has the preloading for itself.
std::vector<std::string> checker_environment() {
  return {"PYTORCH_NO_CUDA_MEMORY_CACHING=1", "CUPEL_MEMORY_CHECKED=1"};
}

// The checker's own files, where they are not in /usr, which every jail sees.
std::vector<sandbox::Bind> checker_binds(const std::vector<std::string>& checker) {
  const std::filesystem::path toolkit =
      std::filesystem::path(checker.front()).parent_path().parent_path();
  if (toolkit.string().starts_with("/usr/")) return {};
  return {{toolkit, {}, false}};
}

// What holds wherever the process is.
std::vector<std::string> runtime_environment(const HostSettings& settings) {
  const std::string threads = std::to_string(settings.threads);
  const std::string bind = settings.device.binds_main_thread ? "false" : "true";
  return joined(
      {"CUPEL_DEVICE=" + settings.device.name,
       "PATH=" + settings.python.bin() + ":/usr/local/bin:/usr/bin:/bin", "USER=user",
       "LC_ALL=C.UTF-8", "PYTHONPATH=" + (settings.home / "python").string(),
       "PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1", "PYTHONSAFEPATH=1",
       "PYTHONWARNINGS=ignore", "OMP_NUM_THREADS=" + threads, "OMP_PROC_BIND=" + bind,
       // NumPy, if it is there, would start threads when torch is imported: a fork server may not.
       "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=" + threads, "TORCHINDUCTOR_COMPILE_THREADS=1",
       "MAX_JOBS=" + threads},
      settings.device.environment);
}

// The user's own come first: what the installation has below them is not hidden.
std::vector<sandbox::Bind> host_binds(const HostSettings& settings) {
  std::vector<sandbox::Bind> binds;
  for (const auto& path : settings.own_files) {
    const auto own = own_files(path);
    binds.insert(binds.end(), own.begin(), own.end());
  }
  for (const auto& part : settings.python.parts) binds.push_back({part, {}, false});
  binds.push_back({settings.home / "python/cupel", {}, false});
  if (!settings.probe.empty()) binds.push_back({settings.probe, k_probe_in_jail, false});
  // A bundle's own allocator; the system's lies in /usr, which every jail sees.
  if (!settings.allocator.empty() && !settings.allocator.string().starts_with("/usr/")) {
    binds.push_back({settings.allocator, {}, false});
  }
  if (!settings.build_cache.empty()) {
    binds.push_back({settings.build_cache, k_build_cache_in_jail, false});
  }
  const auto& nodes = settings.device.binds;
  binds.insert(binds.end(), nodes.begin(), nodes.end());
  return binds;
}

}  // namespace

std::vector<std::string> environment_in_jail(const HostSettings& settings,
                                             const std::string& work) {
  std::vector<std::string> environment{"HOME=" + work,
                                       "TMPDIR=" + (settings.unjailed ? work : "/tmp"),
                                       "CUPEL_PROBE=" + probe_path(settings, !settings.unjailed),
                                       "CUPEL_WORK=" + work,
                                       "TORCHINDUCTOR_CACHE_DIR=" + work + "/inductor",
                                       "TRITON_HOME=" + work,
                                       "TORCH_EXTENSIONS_DIR=" + work + "/extensions"};
  if (!settings.compiler_start.empty()) {
    const auto cache = settings.unjailed ? settings.build_cache : k_build_cache_in_jail;
    environment.push_back("CUPEL_COMPILER_START=" + (cache / settings.compiler_start).string());
  }
  return environment;
}

std::vector<std::string> fork_server_environment(const HostSettings& settings) {
  return joined(allocator_environment(settings, false), runtime_environment(settings));
}

sandbox::JailRequest host_jail(const HostSettings& settings, const std::string& work) {
  sandbox::JailRequest request;
  const auto& checker = settings.checker;
  const bool checked = !checker.empty();
  request.argv = joined(checker, {settings.python.executable, "-m", "cupel.host", "--fd",
                                  std::to_string(sandbox::k_jail_socket_fd)});
  request.environment =
      joined(checked ? checker_environment() : allocator_environment(settings, !settings.unjailed),
             joined(runtime_environment(settings), environment_in_jail(settings, work)));
  request.binds = host_binds(settings);
  if (checked) {
    const auto binds = checker_binds(checker);
    request.binds.insert(request.binds.end(), binds.begin(), binds.end());
  }
  request.work_directory = work;
  request.memory_bytes_max = settings.memory_bytes_max;
  request.scratch_bytes_max = settings.scratch_bytes_max;
  request.processes_max = settings.processes_max;
  request.unjailed = settings.unjailed;
  if (settings.as_users) dress_as_users(settings, request);
  return request;
}

}  // namespace cupel::measure
