// The referee's processes and the frames to and from them; referee.h knows what they mean.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/files.h"
#include "base/result.h"
#include "measure/device/device.h"
#include "measure/jail/python_environment.h"
#include "sandbox/jail.h"

namespace cupel::measure {

class ForkServer;

// What the judge allows, so that the referee looks no closer than that. Of the reference's own
// error, but for `in_order`. 0: not known.
struct JudgedMultiples {
  double least = 0;         // no error of fewer times is ever refused
  double in_order = 0;      // of what comes of the reference's sums in order,
  double in_order_max = 0;  // and no more than so many times
};

struct RefereeSettings {
  PythonEnvironment python;
  std::filesystem::path home;
  std::filesystem::path allocator;  // as HostSettings::allocator
  int threads = 1;
  std::uint64_t memory_bytes_max = 0;
  double seconds_max = 0;  // for one request
  DeviceTraits device;
  std::filesystem::path task_directory;  // read-only inside: the task's files lie there; "": none
  std::filesystem::path weights;         // file of a state dict, read-only inside; "": none
  bool unjailed = false;
  JudgedMultiples multiples;
};

// In a jail, as hosts are: the task's code is trusted, but needs no network, no home directory and
// nothing to write to. Ends with this object. Not thread-safe. A task's own failure is an input
// error; a process that dies or hangs is one too (only the task's code runs in it), with its last
// words.
class RefereeProcess {
 public:
  // One process, or two of which the second was forked from the first. Waits for torch.
  static Result<std::unique_ptr<RefereeProcess>> start(const RefereeSettings& settings,
                                                       bool with_second);

  const RefereeSettings& settings() const { return settings_; }
  // Where errors point to.
  void set_task(std::string path) { task_path_ = std::move(path); }

  // Processes are numbered 0 and 1. One request at a time each.
  bool has_second() const { return doors_.size() > 1; }
  void drop_second() { doors_.resize(1); }
  Status send(std::size_t process, const nlohmann::json& message,
              const std::vector<int>& descriptors = {});
  // Of the request that was sent last. A failure reply is an Error.
  Result<nlohmann::json> reply(std::size_t process);

  // Stops and continues all its processes, from any thread. No request's time counts meanwhile.
  void pause();
  void resume();

  // A request to the first process, and its reply.
  Result<nlohmann::json> ask(const nlohmann::json& message,
                             const std::vector<int>& descriptors = {});
  // Message i goes to process i, all at once; all replies, or the first error.
  Result<std::vector<nlohmann::json>> ask_each(const std::vector<nlohmann::json>& messages,
                                               const std::vector<int>& descriptors = {});

 private:
  struct Door {
    UniqueFd socket;
    bool ready = false;  // has said so
  };

  RefereeProcess(const RefereeSettings& settings, sandbox::Jail jail, std::vector<Door> doors);
  // By a fork of `server`; null: by importing torch itself.
  static Result<std::unique_ptr<RefereeProcess>> make(const RefereeSettings& settings,
                                                      bool with_second, ForkServer* server);
  Status await_ready(Door& door);
  Result<nlohmann::json> receive(Door& door);
  tl::unexpected<Error> died(const std::string& what);

  RefereeSettings settings_;
  std::vector<Door> doors_;
  sandbox::Jail jail_;
  std::string task_path_;
  std::string output_tail_;
  Pauses pauses_;
};

}  // namespace cupel::measure
