// One round: several programs in lockstep on the same fresh inputs, so that all ratios of a table
// come from one run. docs/timing.md describes the protocol; this measures and cannot decide.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "base/rng.h"
#include "measure/device_lock.h"
#include "measure/host_pool.h"
#include "measure/lane.h"
#include "measure/plan.h"
#include "measure/referee.h"
#include "model/evidence.h"

namespace cupel::measure {

// What a round works with; all outlive it.
struct RoundContext {
  LaneContext lane;
  Referee& referee;
  HostPool& pool;
  std::int64_t& next_input;  // indices of inputs are never used twice in a session
};

// Runs once. An Error means that the round could not be run (the referee failed); a program's
// failure is in its evidence.
class Round {
 public:
  Round(RoundContext context, std::vector<Program> programs, Rng rng);
  Result<Evidence> run(const Referral& referral);

 private:
  struct Wanted {
    std::size_t lane;
    CallPlace place;
  };
  // Outputs that a host keeps.
  struct Held {
    std::size_t lane;
    CallPlace place;
    int index;  // to recall them by
  };
  // Where a program's checks are to go.
  using CheckList = std::function<std::vector<OutputCheck>&(ProgramEvidence& program)>;

  Result<std::unique_ptr<Host>> take_host(const Program& program);
  Status take_hosts();
  void close_lanes();
  Status share_device();
  Status load_programs();
  Status first_calls();
  Status measure(const Referral& referral);
  Status expect_quiet();
  Status warm_up();
  Status time_calls(const Referral& referral);
  bool wants_queued_calls() const;
  void queue_calls();
  std::vector<std::size_t> that_can_queue() const;
  std::int64_t gate_ns_for(double call_ms) const;  // of a call that takes so long
  double claim_ms_of(std::size_t lane) const;
  void expect_audits();
  Status audit(const std::vector<std::size_t>& claimants);
  Status check_second_instance(const std::vector<std::size_t>& lanes);
  bool wants_clock_audit() const;
  Status audit_clock(const std::vector<std::size_t>& lanes);
  Status audit_batches(const std::vector<std::size_t>& lanes, int calls);
  // The winner's audit: endurance.cpp.
  Status endure();
  std::vector<Held> take_turns(const std::vector<std::size_t>& lanes,
                               const std::vector<InputSet>& sets);
  void hold(std::size_t lane, const CallPlace& where, std::vector<Held>& held);
  void recall_timed(const std::vector<Held>& held);
  Status go_on_calling(const std::vector<std::size_t>& lanes, int first_set);
  Status call_stretch(const std::vector<std::size_t>& lanes, int first_set, bool checks_all);
  Status recall_held(const std::vector<Held>& held);
  bool call_enduring(std::size_t lane, const CallPlace& where, double seconds_max);
  int endurance_calls() const;

  Result<std::unique_ptr<Alone>> wait_for_device();
  void on_each(const std::vector<std::size_t>& lanes,
               const std::function<void(std::size_t, std::mutex&)>& work);
  Result<std::vector<InputSet>> prepare(int count, InputMix mix, int instance, int first_set = 0);
  void warm_up_lane(std::size_t lane);
  int fresh_sets() const;
  void wash_out();
  Status run_chunk(int count);
  void time_turns(const std::vector<InputSet>& sets, std::vector<Held>& held);
  void time_turn(const InputSet& set, int set_index);
  int turn_to_hold(int count);
  bool call_in_turn(std::size_t lane, const CallPlace& where, CallSample& sample);
  int compared_instance(std::size_t lane, const CallPlace& where) const;
  Status compare_wanted(std::int64_t first, int count);
  Status check_wanted(const CheckList& list);
  CallPlace place(const InputSet& set, int set_index, std::size_t lane, int instance) const;
  std::vector<std::size_t> all_lanes() const;
  std::vector<std::size_t> live_lanes() const;
  std::vector<std::size_t> live_of(const std::vector<std::size_t>& lanes) const;
  bool can_go_on() const;
  int next_chunk_inputs() const;
  double call_seconds_max() const;
  // Rows of warm calls: round_rows.cpp.
  bool wants_rows() const;
  void time_rows(const std::vector<InputSet>& sets, std::vector<Held>& held);
  Lane::Row next_row();
  int row_calls() const;
  std::vector<CallPlace> places_of_row(const std::vector<InputSet>& sets, int first, int calls,
                                       std::size_t lane, int uncounted) const;
  void hold_of_row(const std::vector<InputSet>& sets, int set, std::vector<Held>& held);
  void note_exchange();
  Evidence current_evidence() const;

  RoundContext context_;
  std::vector<Program> programs_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::unique_ptr<Lane> nothing_;  // what an exchange costs; null where calls are not made in rows
  std::unique_ptr<Sharing> sharing_;  // while programs are prepared; pauses the lanes
  Rng rng_;
  std::uint64_t surroundings_seed_;  // the same for all programs of the round
  std::vector<std::size_t> turn_;    // lanes in the order of this chunk
  SystemClock clock_;
  Evidence evidence_;  // without programs, which lie in the lanes until the end
  std::vector<Wanted> wanted_;
  std::vector<InputSet> warm_sets_;  // kept for the round, in the vault's last sets
  std::int64_t order_ = 0;
  std::int64_t repeats_ = 0;  // turns of calls that were not timed
  int timed_inputs_ = 0;
  double timing_ms_ = 0;
  double warm_call_ms_ = 0;      // all programs' last warm-up calls together
  double baseline_call_ms_ = 0;  // the baseline's last warm-up call
};

}  // namespace cupel::measure
