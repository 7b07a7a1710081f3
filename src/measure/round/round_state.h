// What the stages of a round work with and on: the lanes, fresh inputs, the outputs that are to be
// compared, the evidence so far.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "base/rng.h"
#include "measure/call/call_context.h"
#include "measure/device/device_lock.h"
#include "measure/lane/lane.h"
#include "measure/lane/lane_source.h"
#include "measure/referee/round_referee.h"
#include "model/evidence.h"

namespace cupel::measure {

// What a round works with; all outlive it.
struct RoundContext {
  CallContext lane;
  RoundReferee& referee;
  LaneSource& source;
  std::int64_t& next_input;  // indices of inputs are never used twice in a session
};

// What the warm-up leaves to the other stages. Times: of a typical call, 0 before it.
struct Warm {
  std::vector<InputSet> sets;  // in the vault's last sets, to the end of the round
  double all_call_ms = 0;      // of all programs together
  double baseline_call_ms = 0;
};

class RoundState {
 public:
  RoundState(RoundContext context_of_round, Rng rng_of_round);

  const RoundContext context;
  const MeasurePlan& plan;
  Device& device;
  const SystemClock clock;
  Rng rng;
  Evidence evidence;                         // without programs, which lie in the lanes
  std::vector<std::unique_ptr<Lane>> lanes;  // the baseline's first
  std::unique_ptr<Lane> nothing;  // what an exchange costs; null where the judge cannot read it
  Warm warm;

  Evidence current_evidence() const;

  // Indices of lanes.
  std::vector<std::size_t> all_lanes() const;
  std::vector<std::size_t> live_lanes() const;
  std::vector<std::size_t> live_of(const std::vector<std::size_t>& some) const;
  // The baseline and at least one other program are alive and well-formed.
  bool can_go_on() const;

  // Preparing gives way to whoever times on the device, until stop_sharing() or alone().
  Status share_device();
  void stop_sharing() { sharing_.reset(); }
  Result<std::unique_ptr<Alone>> alone();
  std::mutex& gate() { return sharing_->gate(); }
  std::mutex* gate_if_shared() { return sharing_ ? &sharing_->gate() : nullptr; }
  // Side by side where programs compile on the CPU for a device, else one after another, each alone
  // on the machine. While the device is shared.
  void on_each(const std::vector<std::size_t>& some,
               const std::function<void(std::size_t lane, std::mutex& gate)>& work);

  // Fresh inputs, in the vault's sets from `first_set` on. The timed ones of a round are one order.
  Result<std::vector<InputSet>> prepare(int count, InputMix mix, int instance, int first_set = 0);
  // What is drawn next of a mix; with InputDraw::again, what was drawn so is had again.
  InputDraw next_draw(InputMix mix) const { return {mix, order_, drawn_}; }
  Result<std::vector<InputSet>> prepare_drawn(const InputDraw& draw, int count, int instance,
                                              int first_set);
  // Sets of the vault for fresh inputs; the warm-up's stay in the others.
  int fresh_sets() const;
  static CallPlace place(const InputSet& set, int set_index, std::size_t lane, int instance);
  // Of a warm-up's input, and of the one that call number `call` has where they come in turn.
  CallPlace warm_place(int call, std::size_t lane) const;
  double call_seconds_max() const;

  // Where a program's checks are to go.
  using CheckList = std::function<std::vector<OutputCheck>&(ProgramEvidence& program)>;
  struct Wanted {
    std::size_t lane;
    CallPlace place;
  };
  // What the referee is to compare; it may do so while calls are made whose outputs lie elsewhere.
  struct Comparison {
    std::vector<Wanted> wanted;
    std::vector<CompareItem> items;
  };
  // The outputs of this call are to be compared, as its set's last call leaves them.
  void want(std::size_t lane, const CallPlace& where) { wanted_.push_back({lane, where}); }
  // All that is wanted so far, which nobody else will compare.
  Comparison take_wanted();
  // What the referee has found, one for each item.
  void note(const Comparison& comparison, std::vector<Compared> found, const CheckList& list);
  // Has the referee compare what is wanted.
  Status compare(const CheckList& list);
  // The same, into ProgramEvidence::checks; then `count` inputs from `first` on are not needed any
  // more.
  Status compare_and_release(std::int64_t first, int count);

 private:
  int compared_instance(const Wanted& wanted) const;
  CompareItem item_of(const Wanted& wanted, const SlotLayout& leaves) const;

  const std::int64_t order_;          // of this round's timed inputs
  std::int64_t drawn_ = 0;            // of it, so far
  std::unique_ptr<Sharing> sharing_;  // pauses the lanes
  std::vector<Wanted> wanted_;
};

}  // namespace cupel::measure
