// A round without processes: lanes and a referee that do as they are told and keep a log, over the
// CPU's real device.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure/round/round.h"

namespace cupel::measure {

// One call of a lane's, as it was asked for.
struct LoggedCall {
  // "call", "row", "early", "uncounted", "nothing", "beside", "several", "hold", "recall",
  // "recall_timed"
  std::string kind;
  std::size_t lane = 0;
  CallPlace place;
};
using CallLog = std::vector<LoggedCall>;

struct FakeProgram {
  double call_ms = 1;
  int fails_at_call = -1;  // call(), row() and call_beside() count
  bool readable = false;
};

class FakeLane final : public Lane {
 public:
  FakeLane(std::size_t index, FakeProgram program, bool nothing, CallLog& log)
      : index_(index), program_(program), nothing_(nothing), log_(log) {}

  bool load(std::mutex&) override { return true; }
  void pause() override {}
  void resume() override {}
  bool call(const CallPlace& place, double, CallSample* sample) override;
  bool queued_call(const CallPlace&, std::int64_t, double, QueuedSample*) override { return true; }
  bool row(const std::vector<RowCall>& calls, const RowPlan& plan) override;
  bool readable() const override { return program_.readable; }
  bool call_beside(const CallPlace& place, double, std::mutex&) override;
  bool several(const std::vector<CallPlace>& places, double) override;
  int hold(const CallPlace& place, double, std::mutex*) override;
  bool recall(const CallPlace& place, int, double, std::mutex&) override;
  bool recall_timed(const CallPlace& place, int, double) override;
  void note_memory(std::int64_t calls) override {
    evidence_.endurance.memory.push_back({calls, 0});
  }
  bool note_left_behind(double, std::mutex&) override { return true; }
  Told told_of(const CallPlace&) const override { return {{{1}}, {}}; }
  void close() override {}

 private:
  bool note(const char* kind, const CallPlace& place);
  bool goes_on(const CallPlace& place);
  std::int64_t call_ns() const { return static_cast<std::int64_t>(1e6 * program_.call_ms); }

  std::size_t index_;
  FakeProgram program_;
  bool nothing_;
  CallLog& log_;
  int calls_ = 0;
};

class FakeReferee final : public RoundReferee {
 public:
  Result<std::vector<InputSet>> prepare(std::int64_t first, int count, std::int64_t, std::int64_t,
                                        int, const InputDraw& draw) override;
  Result<std::vector<Compared>> compare(const std::vector<CompareItem>& items) override;
  Status release(std::int64_t first, int count) override;
  void pause() override {}
  void resume() override {}

  std::vector<CompareItem> compared;
  struct Draw : InputDraw {
    int count = 0;
    std::int64_t first = 0;
    std::int64_t begins = 0, ends = 0;  // in the vault
  };
  std::vector<Draw> draws;
  std::vector<std::int64_t> alive;  // inputs that are prepared and not released yet
};

class FakeLanes final : public LaneSource {
 public:
  FakeLanes(std::vector<FakeProgram> programs, CallLog& log)
      : programs_(std::move(programs)), log_(log) {}
  Result<std::unique_ptr<Lane>> take(const CallContext& context, const Program& program, Rng rng,
                                     std::uint64_t surroundings_seed) override;
  void freeze() override {}
  void thaw() override {}

 private:
  std::vector<FakeProgram> programs_;
  CallLog& log_;
  std::size_t taken_ = 0;
};

// One round of `programs`, the baseline first, with one input and one output of 64 bytes.
struct FakeRound {
  std::vector<FakeProgram> programs{{}, {}};
  MeasurePlan plan = short_plan();
  std::function<std::string(const Evidence&)> stop = [](const Evidence&) { return ""; };
  std::vector<std::size_t> claimants;
  std::int64_t vault_bytes_max = 1 << 30;  // 1: as few inputs at a time as a round can do with

  static MeasurePlan short_plan();
  Result<Evidence> run();

  CallLog log;  // of the run
  FakeReferee referee;
  std::vector<LoggedCall> logged(const std::string& kind) const;
};

}  // namespace cupel::measure
