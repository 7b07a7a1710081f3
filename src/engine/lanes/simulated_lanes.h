// Lanes on virtual time: every piece of work is done when it is started and completes when its
// time has come, in the order of the times. Whole searches with hours of waiting run in
// milliseconds, and always the same way.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/stop.h"
#include "engine/doors/agents.h"
#include "engine/doors/lanes.h"

namespace cupel::engine {

struct SimulatedLanesSettings {
  int asks_max = 10;  // of both tiers together
  int builds_max = 1;
  bool builds_disturb = true;  // as on a CPU
  bool one_at_a_time = false;  // one piece of work in all lanes together
  std::function<double(const std::string& subject)> build_s;    // empty: no time
  std::function<double(const std::string& subject)> measure_s;  // empty: no time
};

// A question takes its reply's `seconds`.
class SimulatedLanes final : public Lanes {
 public:
  // The referred objects outlive it; `clock` is moved forward.
  SimulatedLanes(SimulatedLanesSettings settings, Evaluator& evaluator, const Agents& agents,
                 FakeClock& clock)
      : settings_(std::move(settings)), evaluator_(evaluator), agents_(agents), clock_(clock) {}

  bool can_ask(Tier tier) const override;
  bool can_build() const override;
  bool can_measure() const override;
  void ask(const Prompt& prompt) override;
  void build(const std::string& subject, const Candidate& candidate) override;
  void measure(const std::string& subject, const std::vector<Candidate>& programs) override;
  void audit(const std::string& subject, const Candidate& program) override;
  void measure_beside(const std::vector<std::string>& subjects,
                      const std::vector<Candidate>& programs) override;
  void profile(const std::string& subject, const std::optional<Candidate>& program) override;
  void label(const std::string& subject, const std::vector<Candidate>& programs) override;
  std::optional<Completion> next(double seconds_max) override;
  // They end at once, at the price that was known when they were asked.
  void cancel_asks() override;

 private:
  using Key = std::pair<std::int64_t, std::int64_t>;  // when it completes, when it was started
  struct Work {
    Completion completion;
    int* count = nullptr;  // that it leaves
  };
  bool is_free() const { return !settings_.one_at_a_time || under_way_.empty(); }
  // Counted by `count` until it completes.
  void start(int& count, double seconds, Completion completion);
  void start_judgement(const std::string& subject, Result<Judgement> judgement);
  double measure_s(const std::string& subject) const {
    return settings_.measure_s ? settings_.measure_s(subject) : 0;
  }

  SimulatedLanesSettings settings_;
  Evaluator& evaluator_;
  const Agents& agents_;
  FakeClock& clock_;
  const StopFlag never_stopped_;
  std::map<Key, Work> under_way_;
  std::int64_t started_ = 0;
  int asks_ = 0;
  int builds_ = 0;
  int measurements_ = 0;
};

}  // namespace cupel::engine
