// One host: a jailed, single-use Python process that runs one program (docs/protocol.md).
// Everything that a host says is a claim by untrusted code.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/fork_server.h"
#include "measure/host_messages.h"
#include "measure/host_settings.h"
#include "model/evidence.h"
#include "sandbox/jail.h"

namespace cupel::measure {

// Killed and reaped on destruction. Not thread-safe, but for pause() and resume().
class Host {
 public:
  // Starts the process and returns at once; it warms up by itself.
  static Result<std::unique_ptr<Host>> start(const HostSettings& settings);
  // The same by a fork of `server`, which is ready: milliseconds instead of seconds.
  static Result<std::unique_ptr<Host>> fork(const HostSettings& settings, ForkServer& server);

  // Waits until torch is imported.
  Status wait_ready(double seconds_max);
  bool ready() const { return ready_; }

  // Each sends one request and waits for its answer, serving build questions meanwhile. A frozen
  // host is thawed by the request, at the moment that its time begins. `on_frame` runs when a frame
  // of the host's is here, before anybody reads what it says; it may freeze the host.
  using OnFrame = std::function<void()>;
  HostReply load(const LoadRequest& request, double seconds_max);
  HostReply call(const CallRequest& request, double seconds_max, const OnFrame& on_frame);
  HostReply batch(const CallRequest& request, double seconds_max, const OnFrame& on_frame);

  void freeze() { jail_.freeze(); }
  void thaw() { jail_.thaw(); }
  // Freezing in the middle of a request, from another thread than the one that waits for its
  // answer; the pause does not count as the program's time.
  void pause();
  void resume();
  void kill() { jail_.kill(); }
  // The last k_output_tail_bytes of what the program printed.
  const std::string& output_tail() const { return output_tail_; }

 private:
  // What a host is made of beside its jail.
  struct Parts {
    std::optional<TempDir> work;  // of an unjailed host
    std::string directory;        // as the host sees it
    UniqueFd socket;
    UniqueFd child_socket;
  };
  static Result<Parts> prepare(const HostSettings& settings);
  Host(const HostSettings& settings, sandbox::Jail jail, Parts parts);
  // What one exchange is about.
  struct Exchange {
    std::string phase;
    double seconds_max = 0;
    OnFrame on_frame;
  };
  nlohmann::json exchange(const nlohmann::json& request, const std::vector<int>& fds,
                          const Exchange& about, HostReply& reply);
  Status send(std::string_view frame, const std::vector<int>& fds, double seconds_max,
              HostReply& reply);
  bool receive_reply(const Exchange& about, nlohmann::json& message, HostReply& reply);
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
  std::int64_t paused_at_ns_ = 0;
  std::atomic<std::int64_t> paused_ns_{0};  // since the request in flight was sent
};

inline constexpr std::size_t k_output_tail_bytes = 8 << 10;

}  // namespace cupel::measure
