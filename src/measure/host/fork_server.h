// A process that has imported torch, from which hosts or referees are forked into jails that stand
// ready (python/cupel/fork_server.py). Trusted: it runs no program.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "sandbox/jail.h"

namespace cupel::measure {

// For the import of torch, or of what torch.compile needs.
inline constexpr double k_import_seconds_max = 120;

// What it is started as: servers of equal settings are as good as each other.
struct ForkServerSettings {
  std::string forks;                     // "host" or "referee"
  std::string executable;                // a Python with torch
  std::vector<std::string> environment;  // complete; becomes that of the forked processes
  bool kept = true;                      // another owner may have it when this one is done with it
  bool operator==(const ForkServerSettings&) const = default;
};

// Killed on destruction; what was forked from it lives on. Not thread-safe.
class ForkServer {
 public:
  // Starts the process and returns at once.
  static Result<ForkServer> start(ForkServerSettings settings);

  const ForkServerSettings& settings() const { return settings_; }
  // Waits until torch is imported. False, for good: nothing can be forked from it.
  bool wait_ready(double seconds_max);
  // Begins to import what torch.compile needs, for all hosts forked from then on. Waits as above,
  // but not for the import.
  void import_compilers(double seconds_max);
  // Forks a process into `jail`, with `sockets` as its sockets and `extra` ("NAME=value") added to
  // its environment. It starts up by itself.
  Status fork_into(sandbox::Jail& jail, const std::vector<int>& sockets,
                   const std::vector<std::string>& extra);
  // Nothing is forked from it any more.
  void give_up() { usable_ = false; }
  // Alive, and as it was once it had imported torch?
  bool is_as_new();

 private:
  ForkServer(ForkServerSettings settings, sandbox::Process process, UniqueFd socket)
      : settings_(std::move(settings)), process_(std::move(process)), socket_(std::move(socket)) {}
  bool says(const char* word, int threads_max, double seconds_max) const;
  Result<pid_t> request_fork(const sandbox::Entrance& entrance, const std::vector<int>& sockets,
                             int status, const std::vector<std::string>& extra);

  ForkServerSettings settings_;
  sandbox::Process process_;
  UniqueFd socket_;
  std::optional<bool> usable_;
  bool importing_ = false;
  bool has_compilers_ = false;
};

// A server that is this owner's alone. One that it leaves as new, and that is to be kept, is lent
// again in this process, so that its next session imports no torch. From any thread.
using LentForkServer = std::unique_ptr<ForkServer, void (*)(ForkServer*)>;
Result<LentForkServer> lend_fork_server(ForkServerSettings settings);

}  // namespace cupel::measure
