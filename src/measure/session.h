// One task's measuring session: the referee, the vault, two sets of weights, a stock of warm
// hosts. Rounds run one after another.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "measure/call/plan.h"
#include "measure/device/device.h"
#include "measure/host/host_pool.h"
#include "measure/lane/host_lane.h"
#include "measure/referee/referee.h"
#include "model/evidence.h"
#include "model/profile.h"
#include "model/task.h"

namespace cupel::measure {

// Of each value class, what a lint looks at; twice as many of the task's own.
inline constexpr int k_admission_samples = 4;

struct SessionSettings {
  PythonEnvironment python;
  std::filesystem::path home;
  std::filesystem::path probe;
  std::filesystem::path build_cache;
  std::filesystem::path work_parent;
  std::shared_ptr<Device> device;
  int threads = 0;  // 0: all cores that this process may use
  bool unjailed = false;
  std::string sandbox_grade;
  BuildDoor build;
  MeasurePlan plan;
  double referee_seconds_max = 600;
  JudgedMultiples multiples;
  // Programs of the rounds to come, the baseline among them: so many hosts are kept warm. 0:
  // none, so that rounds wait for theirs.
  int warm_hosts = 2;
  Metric metric = Metric::latency;
  bool compiles = false;  // the programs to come use torch.compile
  // Makes what each compilation on a CPU starts with; asked once, where a program compiles. A name
  // in build_cache (build/compiler_start.h), "" if there is none.
  std::function<std::string()> compiler_start;
  bool lint_only = false;    // no round is to come: a task may take the memory of hosts
  bool for_prompts = false;  // TaskFacts::program is wanted
};

// What a round is for; it decides how long it goes on.
enum class RoundKind {
  judgement,
  audit,      // of a winner's
  endurance,  // of the same audit: many more calls after the timing
  trial,      // a few calls, to see whether a kernel's work matters, or how other calls go
};

// Not thread-safe. Hosts and the referee end with this object.
class Session {
 public:
  // Starts the referee and what hosts are forked from; returns before that is ready.
  static Result<std::unique_ptr<Session>> start(Task task, Policy policy, SessionSettings settings);

  // Loads the task in the referee: an input error says what is wrong with it.
  Result<TaskFacts> open();
  // The user's own files that the task's program has read. Needs open() first.
  std::vector<std::filesystem::path> read_files() const;
  // Lints the task; raw.
  Result<AdmissionEvidence> admit();
  // Only inputs of these value classes from now on: what is not relied on need not be called.
  Status draw(const std::vector<std::string>& value_classes);
  // The task's program as a graph. Needs open() first.
  Result<GraphExport> graph() { return referee_->graph(); }
  // Takes up the lint of an earlier sitting. Needs open() first.
  Status readmit(const AdmissionEvidence& evidence);

  // programs[0] is the baseline. See round/round.h.
  Result<Evidence> run_round(std::vector<Program> programs, const Referral& referral,
                             RoundKind kind = RoundKind::judgement);

  // What a reader should know of each source.
  Result<std::vector<std::vector<Label>>> labels(const std::vector<std::string>& sources) {
    return referee_->labels(sources);
  }
  // Where the time of a program's calls goes, told by a host that runs it alone; `problem` says
  // what is wrong with the program. An Error means that nothing could be run. Needs an admission.
  Result<Profile> profile(const Program& program);

  int threads() const { return threads_; }

 private:
  Session(Task task, Policy policy, SessionSettings settings);
  std::vector<std::filesystem::path> users_own(const std::vector<std::string>& paths) const;
  Status share_device();
  Status stock(int hosts);
  void expect_compilers();
  VaultLayout vault_for(int programs) const;
  Status require_vault_room(int programs) const;
  std::int64_t referee_bytes() const;
  Status prepare_vault(int programs);
  CallContext call_context(const MeasurePlan& plan, bool batches);
  Status profile_in(HostLane& lane, Profile& found);
  Status profile_call(HostLane& lane, const CallPlace& place, Profile& found);

  Task task_;
  Policy policy_;
  SessionSettings settings_;
  int threads_;
  HostSettings host_settings_;
  bool expects_compilers_ = false;
  std::unique_ptr<HostPool> pool_;
  std::unique_ptr<Referee> referee_;
  std::optional<TaskFacts> facts_;
  AdmissionEvidence admission_;
  VaultLayout layout_;
  Arena vault_;
  std::vector<InstanceState> weights_;
  std::int64_t next_input_ = 0;
  Rng rng_;
  // Between rounds, from open() on: hosts in stock and the referee give way to whoever times.
  std::unique_ptr<Sharing> sharing_;
};

// The jemalloc that hosts run on, "" if this machine has none (apt-get install libjemalloc2).
std::filesystem::path find_allocator();

}  // namespace cupel::measure
