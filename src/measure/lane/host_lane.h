// A lane with a host of its own: it reveals a call's inputs, lets the host run, and takes the
// outputs.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "base/rng.h"
#include "measure/call/call_context.h"
#include "measure/call/call_slots.h"
#include "measure/host/baton.h"
#include "measure/host/host.h"
#include "measure/lane/lane.h"
#include "measure/lane/program.h"

namespace cupel::measure {

// The host is frozen between calls.
class HostLane final : public Lane {
 public:
  // `context` outlives it.
  HostLane(const CallContext& context, Program program, std::unique_ptr<Host> host, Rng rng);

  bool load(std::mutex& gate) override;
  bool call_beside(const CallPlace& place, double seconds_max, std::mutex& gate) override;
  void pause() override;
  void resume() override;
  bool call(const CallPlace& place, double seconds_max, CallSample* sample) override;
  bool queued_call(const CallPlace& place, std::int64_t gate_ns, double seconds_max,
                   QueuedSample* sample) override;
  bool row(const std::vector<RowCall>& calls, const RowPlan& plan) override;
  bool readable() const override { return host_->memory().readable(); }
  std::int64_t usual_reading_ns() const override;
  bool several(const std::vector<CallPlace>& places, double seconds_max) override;
  int hold(const CallPlace& place, double seconds_max, std::mutex* gate) override;
  bool recall(const CallPlace& place, int index, double seconds_max, std::mutex& gate) override;
  bool recall_timed(const CallPlace& place, int index, double seconds_max) override;
  void note_memory(std::int64_t calls) override;
  bool note_left_behind(double seconds_max, std::mutex& gate) override;
  Told told_of(const CallPlace& place) const override { return told_.at(place.set); }
  void close() override;
  // Nothing is compared. An Error says what is wrong with the program.
  Result<Profile> profile(const CallPlace& place, double seconds_max);

 private:
  // The outputs of a request's calls as they were when a frame of the host's was here.
  struct Fixed {
    Result<std::vector<std::uint64_t>> begun;  // one a call; see CallSlots::begin_snapshots
    std::int64_t at_ns = 0;
  };
  struct Fixing {
    std::shared_ptr<Fixed> fixed;
    Host::OnFrame at_once;
  };
  struct Shown;
  struct RowRun;
  struct BurstRun;

  LoadRequest load_request() const;
  int core_of_next_call();
  std::uint32_t polls_us() const;
  // Of a question that is asked beside other lanes: the host runs meanwhile.
  HostReply ask_beside(std::mutex* gate, const std::function<HostReply()>& question);
  Fixing fixing_of(const std::vector<CallPlace>& places);
  bool call_once(const CallPlace& place, std::int64_t gate_ns, double seconds_max,
                 const std::function<void(const HostReply&, const Fixed&)>& note);
  std::int64_t bracket_of(const HostReply& reply, const Fixed& fixed) const;
  bool take_reply(const CallPlace& place, const HostReply& reply, std::int64_t revealed_at,
                  const Result<std::vector<std::uint64_t>>& begun, bool alone);
  bool finish_after_reply(const CallPlace& place);
  Status await_quiet(const CallPlace& place);
  Status take_result(const CallPlace& place, int slot, std::int64_t revealed_at,
                     std::uint64_t begun);
  Status take_outputs(const CallPlace& place, int slot, std::uint64_t begun);
  Status look_at_inputs(const CallPlace& place, int slot, std::int64_t revealed_at);
  bool form_matches(const CallPlace& place, const ResultForm& form);
  bool take_fault(const HostReply& reply, const CallPlace& place);
  bool device_failed(const Error& error);
  void fail(HostFault::Kind kind, std::string what, const CallPlace& place);

  bool batch(const std::vector<CallPlace>& places, double seconds_max);
  bool burst(const std::vector<CallPlace>& places, double seconds_max);
  Host::Turn turn_of_opening(BurstRun& run);
  Host::Turn turn_of_calls(BurstRun& run);
  Host::Turn turn_of_copying(BurstRun& run);
  Status seal(BurstRun& run);
  Status take_away(const BurstRun& run);

  bool reads_outputs() const;
  RowRun run_of(const std::vector<RowCall>& calls, const RowPlan& plan);
  Status lay_row_out(RowRun& run);
  bool take_staged(RowRun& run);
  void keep_samples(const RowRun& run);
  Host::Turn turn_of(RowRun& run, std::size_t call);
  Host::Turn turn_of_call(RowRun& run, std::size_t call);
  Host::Turn turn_of_staged(RowRun& run, std::size_t call);
  Host::Turn turn_of_copied(RowRun& run, std::size_t call);
  Status reveal_in_row(RowRun& run, std::size_t call);
  Shown sample_shown() const;
  Status take_shown(const CallPlace& place, const Shown& shown);

  const CallContext& context_;
  Program program_;
  std::unique_ptr<Host> host_;
  CallSlots slots_;
  Baton baton_;
  std::map<int, Told> told_;               // by set
  std::vector<double> readings_ns_;        // of calls in rows
  bool called_ = false, running_ = false;  // running_: beside others; see pause()
  int held_ = 0;
};

}  // namespace cupel::measure
