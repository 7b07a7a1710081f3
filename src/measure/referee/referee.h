// The referee: the trusted Python process that makes inputs, knows what outputs must be, and
// compares (docs/protocol.md). It lives as long as a session on one task.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/device/arena.h"
#include "measure/host/host.h"
#include "measure/referee/referee_process.h"
#include "measure/referee/round_referee.h"
#include "model/graph.h"
#include "model/label.h"
#include "model/task.h"

namespace cupel::measure {

// What a task is opened for.
struct Purpose {
  bool lint_only = false;    // the memory need not do for hosts
  bool for_prompts = false;  // TaskFacts::program is wanted, which is empty otherwise
};

// Of a task whose tensors are below this together, on a CPU with several cores, two processes share
// the work on inputs, each on one thread: most of that work runs on one anyway.
inline constexpr std::int64_t k_shared_task_bytes_max = 256LL << 20;

// Ends with this object. Not thread-safe. Errors: referee_process.h.
class Referee final : public RoundReferee {
 public:
  static Result<std::unique_ptr<Referee>> start(const RefereeSettings& settings);

  // `value_classes` are those to try; none: all.
  Result<TaskFacts> open(const Task& task, Policy policy, std::uint64_t input_seed,
                         const std::vector<std::string>& value_classes,
                         const Purpose& purpose = {});
  // `memory_bytes`: what of the device's memory it has in rounds; 0: no limit but the machine's.
  Result<AdmissionEvidence> admit(int samples, std::int64_t memory_bytes = 0);
  // Draws inputs of these classes alone from now on.
  Status draw(const std::vector<std::string>& value_classes);
  // What the user has of packages and modules that the task has imported by now. Only after open().
  const std::vector<std::string>& imported_files() const { return imported_files_; }
  // What the task's program has read by now of files, Python's installation included. Only after
  // open().
  const std::vector<std::string>& read_files() const { return read_files_; }
  // Takes up an earlier lint: its classes, and the arithmetic that it settled on.
  Status readmit(const AdmissionEvidence& evidence);
  Status share_vault(const Arena& vault);
  // Its memory is free once the judge lets go of it, too.
  Status drop_vault();
  Result<InstanceState> weights(int instance, std::uint64_t seed, std::int64_t offset);
  Result<std::vector<InputSet>> prepare(std::int64_t first, int count, std::int64_t offset,
                                        std::int64_t stride, int instance,
                                        const InputDraw& draw) override;
  Result<std::vector<Compared>> compare(const std::vector<CompareItem>& items) override;
  Status release(std::int64_t first, int count) override;
  // What a reader should know of each source; none of them runs. Needs no open task.
  Result<std::vector<std::vector<Label>>> labels(const std::vector<std::string>& sources);
  // The task's program as a graph of operators, or why there is none.
  Result<GraphExport> graph();
  // Whether two processes share the work on inputs; known once the vault is shared.
  bool is_shared() const { return shared_; }

  void pause() override { process_->pause(); }
  void resume() override { process_->resume(); }

 private:
  explicit Referee(std::unique_ptr<RefereeProcess> process) : process_(std::move(process)) {}
  void open_second(const nlohmann::json& request, const TaskFacts& facts);
  void know(const AdmissionEvidence& evidence);
  nlohmann::json terms(int threads) const;
  void share_work();
  void work_alone();
  Status tell_each(const nlohmann::json& message, const std::vector<int>& descriptors = {});
  std::size_t parts() const { return shared_ ? 2 : 1; }
  // Which process handles an input: the one that made it.
  std::size_t part_of(std::int64_t input) const {
    return static_cast<std::size_t>(input) % parts();
  }

  std::unique_ptr<RefereeProcess> process_;
  std::vector<std::string> imported_files_;
  std::vector<std::string> read_files_;
  bool second_opens_ = false;              // its reply is awaited
  bool shared_ = false;                    // both processes work on inputs
  std::vector<std::string> kept_classes_;  // by admission; none: those of open()
  std::string half_way_;                   // by admission; empty: none was settled
  bool uses_tf32_ = false;                 // by admission
  std::vector<std::string> no_near_ties_;  // by admission
};

}  // namespace cupel::measure
