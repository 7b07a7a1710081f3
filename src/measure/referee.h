// The referee: the trusted Python process that makes inputs, knows what outputs must be, and
// compares (docs/protocol.md). It lives as long as a session on one task.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/arena.h"
#include "measure/device.h"
#include "measure/host.h"
#include "measure/python_environment.h"
#include "model/task.h"
#include "sandbox/process.h"

namespace cupel::measure {

struct RefereeSettings {
  PythonEnvironment python;
  std::filesystem::path home;
  std::filesystem::path allocator;  // as HostSettings::allocator
  int threads = 1;
  std::uint64_t memory_bytes_max = 0;
  double seconds_max = 0;  // for one request
  DeviceTraits device;
};

// A set of fresh inputs in the vault.
struct InputSet {
  std::int64_t input = 0;
  std::string value_class;
  std::string values;  // base64 of the pickled non-tensor leaves, or ""
};

// Which inputs prepare() makes.
enum class InputMix { timed, nominal, all };

// One call's outputs in the vault, for comparison.
struct CompareItem {
  std::int64_t input = 0;
  int instance = 0;
  std::vector<std::int64_t> offsets;  // one per output leaf
};

// Ends with this object. Not thread-safe. A task's own failure is an input error; a referee that
// dies or hangs is one too (only the task's code runs in it), with its last words.
class Referee {
 public:
  static Result<std::unique_ptr<Referee>> start(const RefereeSettings& settings);

  // `value_classes` are those to try; none: all.
  Result<TaskFacts> open(const Task& task, Policy policy, std::uint64_t input_seed,
                         const std::vector<std::string>& value_classes);
  Result<AdmissionEvidence> admit(int samples);
  Status share_vault(const Arena& vault);
  Result<InstanceState> weights(int instance, std::uint64_t seed, std::int64_t offset);
  Result<std::vector<InputSet>> prepare(std::int64_t first, int count, std::int64_t offset,
                                        std::int64_t stride, int instance, InputMix mix);
  Result<std::vector<std::vector<OutputError>>> compare(const std::vector<CompareItem>& items);
  Status release(std::int64_t first, int count);

  // Stops and continues it, from another thread than the one that waits for its answer.
  void pause() const;
  void resume() const;

 private:
  Referee(const RefereeSettings& settings, sandbox::Process process, UniqueFd socket,
          UniqueFd output);
  Result<nlohmann::json> request(const nlohmann::json& message, const std::vector<int>& fds = {});
  Result<nlohmann::json> receive();
  tl::unexpected<Error> died(const std::string& what);

  RefereeSettings settings_;
  UniqueFd socket_;
  UniqueFd output_;
  sandbox::Process process_;
  std::string task_path_;
  std::string output_tail_;
  bool ready_ = false;
};

}  // namespace cupel::measure
