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

#include "base/deadline.h"
#include "base/result.h"
#include "measure/host/baton.h"
#include "measure/host/channel.h"
#include "measure/host/fork_server.h"
#include "measure/host/host_memory.h"
#include "measure/host/host_messages.h"
#include "measure/host/kernel_names.h"
#include "measure/jail/host_settings.h"
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

  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // Waits until torch is imported.
  Status wait_ready(double seconds_max);
  bool ready() const { return ready_; }

  // Each sends one request and waits for its answer, serving build questions meanwhile. A frozen
  // host is thawed by the request, at the moment that its time begins. `on_frame` runs when a frame
  // of the host's is here, before anybody reads what it says; it may freeze the host.
  using OnFrame = std::function<void(std::string_view frame)>;
  HostReply load(const LoadRequest& request, double seconds_max);
  HostReply call(const CallRequest& request, double seconds_max, const OnFrame& on_frame);
  HostReply batch(const CallRequest& request, double seconds_max, const OnFrame& on_frame);
  // Keeps the outputs of the call before the last one, if it was loaded to do so.
  HostReply hold(double seconds_max);
  // Has the outputs that the `index`th hold() kept copied out once more, and lets go of them.
  HostReply recall(int index, std::int64_t output, double seconds_max);
  // Asks what the program has changed of its process since before its import.
  HostReply left_behind(double seconds_max);
  // What it says of calls on the one input of `request`; an Error says what is wrong with those.
  Result<Profile> profile(const CallRequest& request, bool measures_machine, double seconds_max);
  // Calls with nothing of the exchange in their brackets, which are from handing over the baton to
  // getting it back: row() of one call each, burst() of opening inputs, of all calls, of copying
  // their outputs. On the core that the judge is on, so that one process goes on where the other
  // stops. `prepare` puts inputs that are not sealed into their slot: while the host is frozen, if
  // it stands `still`. What the bracket must hold beside the call `stop` waits for. Outputs stay as
  // they are until `returned` has returned. An error of any ends the exchange and the host.
  struct Turn {
    std::function<Status()> prepare;  // right before the hand-over
    std::function<Status()> stop;     // right after the return: the bracket ends with it
    std::function<Status(std::int64_t bracket_ns)> returned;  // before the host goes on
    std::span<const CupelCipherKey> keys = {};  // of sealed inputs, with the hand-over
  };
  struct Turns {
    bool still = false;
    double seconds_max = 0;  // each turn
    std::vector<Turn> turns;
  };
  HostReply row(const CallRequest& request, Baton& baton, const Turns& calls);
  HostReply burst(const CallRequest& request, Baton& baton, const Turns& calls);
  const HostMemory& memory() const { return memory_; }  // valid from wait_ready() on

  void freeze() { jail_.freeze(); }
  void freeze_beside() { jail_.freeze(sandbox::Patience::much); }  // others use the device, too
  void thaw() { jail_.thaw(); }
  // In the middle of a request, from another thread; a pause does not count as the program's time.
  void pause();
  void resume();
  void kill() { jail_.kill(); }
  // The last k_output_tail_bytes of what the program printed.
  const std::string& output_tail() const { return output_tail_; }
  // Kernels of cupel.inline that it asked for, and those that it says once an output is recalled.
  const std::vector<std::string>& kernels() const { return kernels_.all(); }
  SharingKernels sharing() const { return {sharing_kernels_.all(), sharing_unnamed_}; }
  // Memory that its processes hold but for files' (the kernel's word); the arenas are in it.
  std::int64_t memory_bytes() { return jail_.memory_bytes(); }

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
  HostReply take_turns(nlohmann::json asked, const CallRequest& request, Baton& baton,
                       const Turns& calls);
  bool take_turn(Baton& baton, const Turn& turn, const Turns& calls, HostReply& reply);
  bool await_turn(const Baton& baton, const Exchange& about, HostReply& reply);
  bool await_return(const Baton& baton, const Exchange& about, HostReply& reply);
  WaitWatch watch_of(const Exchange& about);
  enum class Said { answer, question, nonsense };
  Said listen(const std::string& body, const Exchange& about, const Deadline& deadline,
              nlohmann::json& message, HostReply& reply);
  HostFault fault_of_wait(Waited waited, const std::string& phase, double seconds_max);
  HostFault fault_of_death(const std::string& phase);
  bool serve(const nlohmann::json& message, double seconds_max);
  BuildAnswer build(const BuildAsk& ask);
  void thaw_unless_paused();
  void keep_output(std::string_view text);

  const HostSettings& settings_;
  std::optional<TempDir> work_;  // destroyed after the jail
  UniqueFd socket_;
  sandbox::Jail jail_;
  std::string output_tail_;
  std::string limit_broken_;
  Substitution substitution_;
  KernelNames kernels_{k_kernels_max};
  KernelNames sharing_kernels_{k_sharing_kernels_max};
  bool sharing_unnamed_ = false;
  bool ready_ = false;
  bool compiler_was_late_ = false;  // at the last build
  HostMemory memory_{-1};
  std::uintmax_t built_bytes_ = 0;  // compiled for this host
  std::mutex stopping_;             // pause() and resume() against a request that has the host run
  Pauses pauses_;
};

}  // namespace cupel::measure
