// A process that has imported torch, from which hosts are forked into jails that stand ready
// (python/cupel/fork_server.py). Trusted: it runs no program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "sandbox/jail.h"

namespace cupel::measure {

// Killed on destruction; hosts forked from it live on. Not thread-safe.
class ForkServer {
 public:
  // Starts the process and returns at once. `executable` is a Python with torch; `environment` is
  // complete and becomes the hosts'.
  static Result<ForkServer> start(const std::string& executable,
                                  const std::vector<std::string>& environment);

  // Waits until torch is imported. False, for good: hosts cannot be forked from it.
  bool wait_ready(double seconds_max);
  // Begins to import what torch.compile needs, for all hosts forked from then on. Waits as above,
  // but not for the import.
  void import_compilers(double seconds_max);
  // Forks a host into `jail`, with `socket` as its socket and `extra` ("NAME=value") added to its
  // environment. The host starts up by itself.
  Status fork_into(sandbox::Jail& jail, int socket, const std::vector<std::string>& extra);

 private:
  ForkServer(sandbox::Process process, UniqueFd socket)
      : process_(std::move(process)), socket_(std::move(socket)) {}
  bool says(const char* word, int threads_max, double seconds_max) const;
  Result<pid_t> request_fork(const sandbox::Entrance& entrance, int socket, int status,
                             const std::vector<std::string>& extra);

  sandbox::Process process_;
  UniqueFd socket_;
  std::optional<bool> usable_;
  bool importing_ = false;
};

}  // namespace cupel::measure
