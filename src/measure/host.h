// One host: a jailed, single-use Python process that runs one program (docs/protocol.md).
// Everything that a host says is a claim by untrusted code.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/device.h"
#include "measure/host_messages.h"
#include "measure/python_environment.h"
#include "model/evidence.h"
#include "sandbox/jail.h"

namespace cupel::measure {

// What a host asks to have compiled, and the answer. `path` is inside the jail.
struct BuildAsk {
  std::string kind;  // "cpp"
  std::string name;
  std::string source;
  std::vector<std::string> flags;
};
struct BuildAnswer {
  bool built = false;
  std::string path;
  std::string log;
};
using BuildDoor = std::function<BuildAnswer(const BuildAsk&)>;

// The same for every host of a session.
struct HostSettings {
  PythonEnvironment python;
  std::filesystem::path home;         // holds python/cupel
  std::filesystem::path probe;        // libcupel_probe.so; "" runs without
  std::filesystem::path allocator;    // libjemalloc.so.2; "" leaves glibc's
  std::filesystem::path build_cache;  // read-only inside
  std::filesystem::path work_parent;  // parent of work directories of unjailed hosts
  std::string import_root;            // the user's package, for module tasks; "" if none
  DeviceTraits device;
  Policy policy = Policy::eager;  // sets what torch's own arithmetic may do
  int threads = 1;
  std::uint64_t memory_bytes_max = 0;
  std::uint64_t scratch_bytes_max = 0;
  int processes_max = 0;
  bool unjailed = false;
  BuildDoor build;
};

// Killed and reaped on destruction. Not thread-safe.
class Host {
 public:
  // Starts the process and returns at once; it warms up by itself.
  static Result<std::unique_ptr<Host>> start(const HostSettings& settings);

  // Waits until torch is imported.
  Status wait_ready(double seconds_max);
  bool ready() const { return ready_; }

  // Each sends one request and waits for its answer, serving build questions meanwhile.
  HostReply load(const LoadRequest& request, double seconds_max);
  HostReply call(const CallRequest& request, double seconds_max);
  HostReply batch(const CallRequest& request, double seconds_max);

  void freeze() { jail_.freeze(); }
  void thaw() { jail_.thaw(); }
  void kill() { jail_.kill(); }
  // The last k_output_tail_bytes of what the program printed.
  const std::string& output_tail() const { return output_tail_; }

 private:
  Host(const HostSettings& settings, sandbox::Jail jail, UniqueFd socket,
       std::optional<TempDir> work);
  nlohmann::json exchange(const nlohmann::json& request, const std::vector<int>& fds,
                          const std::string& phase, double seconds_max, HostReply& reply);
  bool receive_reply(std::int64_t deadline_ns, const std::string& phase, double seconds_max,
                     nlohmann::json& message, HostReply& reply);
  HostFault fault_of_wait(int waited, const std::string& phase, double seconds_max);
  HostFault fault_of_death(const std::string& phase);
  bool serve(const nlohmann::json& message);
  void keep_output(std::string_view text);

  const HostSettings& settings_;
  std::optional<TempDir> work_;  // destroyed after the jail
  UniqueFd socket_;
  sandbox::Jail jail_;
  std::string output_tail_;
  std::string limit_broken_;
  bool ready_ = false;
};

inline constexpr std::size_t k_output_tail_bytes = 8 << 10;

}  // namespace cupel::measure
