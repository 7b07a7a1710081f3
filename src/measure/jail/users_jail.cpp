#include "measure/jail/users_jail.h"

#include <array>
#include <string>

#include "base/rng.h"

namespace cupel::measure {
namespace {

constexpr auto k_users =
    std::to_array<const char*>({"ana", "ben", "chen", "dev", "elif", "femi", "ubuntu", "jovyan"});
constexpr auto k_hosts = std::to_array<const char*>(
    {"workstation", "gpu-07", "ip-10-0-3-17", "lab", "train-0", "thinkpad", "node1", "desktop"});
constexpr auto k_projects = std::to_array<const char*>(
    {"src", "project", "serving", "models", "experiments", "app", "research", "inference"});

template <std::size_t N>
std::string one_of(const std::array<const char*, N>& names, Rng& rng) {
  return names[rng.below(N)];
}

}  // namespace

void dress_as_users(const HostSettings& settings, sandbox::JailRequest& jail) {
  Rng rng(settings.surroundings_seed);
  const std::string user = one_of(k_users, rng);
  jail.host_name = one_of(k_hosts, rng);
  jail.home = "/home/" + user;
  const std::string script = jail.home + "/" + one_of(k_projects, rng) + "/main.py";
  jail.argv = {settings.python.executable, script};
  jail.binds.push_back({settings.home / "python/cupel/users_main.py", script, false});
  jail.environment = {"PATH=" + settings.python.bin() + ":/usr/local/bin:/usr/bin:/bin",
                      "HOME=" + jail.home,
                      "USER=" + user,
                      "LOGNAME=" + user,
                      "SHELL=/bin/bash",
                      "LANG=C.UTF-8",
                      "PYTHONPATH=" + (settings.home / "python").string(),
                      "BACKEND=cupel.users_host"};
  const auto& device = settings.device.environment;
  jail.environment.insert(jail.environment.end(), device.begin(), device.end());
}

int users_threads(int judged) {
  return judged > 1 ? judged - 1 : 2;
}

}  // namespace cupel::measure
