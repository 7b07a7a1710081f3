// Lanes of real threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "base/clock.h"
#include "base/stop.h"
#include "engine/doors/agents.h"
#include "engine/doors/lanes.h"
#include "engine/lanes/crew.h"

namespace cupel::engine {

struct ThreadLanesSettings {
  int builds_max = 1;
  bool builds_disturb = true;  // measuring happens on the cores that build
};

// As many builds as leave the cores alone that measuring on this device needs.
ThreadLanesSettings thread_lanes_settings(const RunOptions& options);

// Questions wait on sockets, as many at once as their provider takes; builds run on the cores;
// one thread makes all measurements, so that the evaluator has one holder.
class ThreadLanes final : public Lanes {
 public:
  // The referred objects outlive it. `stop`: the user's.
  ThreadLanes(const ThreadLanesSettings& settings, Evaluator& evaluator, const Agents& agents,
              const Clock& clock, const StopFlag& stop);
  ~ThreadLanes() override;

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
  void cancel_asks() override { asks_stop_.raise(); }

 private:
  // Jobs under way; only the thread that uses the lanes counts.
  struct Busy {
    int strong = 0;
    int cheap = 0;
    int reader = 0;
    int builds = 0;
    int measurements = 0;
    int all() const { return strong + cheap + reader + builds + measurements; }
  };
  // And the count that it leaves: one of Busy.
  struct Done {
    Completion completion;
    int* count = nullptr;
  };

  int Busy::*asks_of(Tier tier) const;
  void start_measurement(std::function<Completion()> make);
  void start_judgement(const std::string& subject, std::function<Result<Judgement>()> make);
  void finish(Completion completion, int& count);
  double seconds_since(std::int64_t start_ns) const;

  ThreadLanesSettings settings_;
  Evaluator& evaluator_;
  const Agents& agents_;
  const Clock& clock_;
  const StopFlag& stop_;
  StopFlag asks_stop_;
  Busy busy_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Done> done_;
  Crew askers_;  // last: their threads end first
  Crew builders_;
  Crew measurer_;
};

}  // namespace cupel::engine
