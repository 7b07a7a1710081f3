// One program of a round: its host, its arenas, its evidence. It reveals a call's inputs, lets the
// host run, and snapshots the outputs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/rng.h"
#include "measure/arena.h"
#include "measure/baton.h"
#include "measure/call_place.h"
#include "measure/host.h"
#include "measure/lane_context.h"
#include "measure/slots.h"
#include "model/evidence.h"

namespace cupel::measure {

class Lane {
 public:
  Lane(const LaneContext& context, Program program, std::unique_ptr<Host> host, Rng rng);
  // Makes the arenas, hands over the weights and the program. False: evidence().fault says why.
  // `gate` is held while the device is used or the host freezes, as in call_beside().
  bool load(std::mutex& gate);
  // One call beside other programs', each on a thread of its own: for calls that mostly compile.
  // Untimed; what the program leaves running is not waited for. False as below.
  bool call_beside(const CallPlace& place, double seconds_max, std::mutex& gate);
  // Has the host keep the outputs of the call before the last one; `place` is that call's. `gate`:
  // nullptr where this process has the device alone. Returns the index to recall by, -1 as below.
  int hold(const CallPlace& place, double seconds_max, std::mutex* gate);
  // Those outputs, as they are now, into the snapshot of `place`.
  bool recall(const CallPlace& place, int index, double seconds_max, std::mutex& gate);
  // Those of a timed call; evidence().endurance.changed names the input if they have changed.
  bool recall_timed(const CallPlace& place, int index, double seconds_max);
  void note_memory(std::int64_t calls);
  bool note_left_behind(double seconds_max, std::mutex& gate);  // false as below
  // Stops and continues a load() or call_beside() in flight, from another thread, gate held.
  void pause();
  void resume();
  // One lockstep call: poison, reveal, run, snapshot. False when the outputs cannot be compared
  // (evidence() says why); `sample`, if not null, receives the times. The host stays frozen.
  bool call(const CallPlace& place, double seconds_max, CallSample* sample);
  // As call(), on a device that queues work: that is held up until all of the call is launched, but
  // no longer than `gate_ns`. `sample`, if not null, receives the device's time.
  bool queued_call(const CallPlace& place, std::int64_t gate_ns, double seconds_max,
                   QueuedSample* sample);
  // A row of warm calls, each input revealed right before its call; the judge reads outputs where
  // they lie. For the CPU, where memory().readable(). False as above.
  struct Row {
    bool unseen = false;               // reveals inputs to a frozen host
    int uncounted = 0;                 // first calls of the row
    std::int64_t first_uncounted = 0;  // of these the `input`: they count on from here
    std::int64_t order = 0;
    double seconds_max = 0;  // each call
  };
  bool row(const std::vector<CallPlace>& places, const Row& row);
  const HostMemory& memory() const { return host_->memory(); }
  Result<Profile> profile(const CallPlace& place, double seconds_max);  // nothing is compared
  // Calls revealed at once, into evidence().batches: a batch, or a burst. False as above.
  bool several(const std::vector<CallPlace>& places, double seconds_max);
  bool alive() const { return evidence_.fault.kind == HostFault::Kind::none; }
  bool usable() const { return alive() && evidence_.mismatches.empty(); }  // worth further calls
  std::vector<std::string> values_of(const CallPlace& place) const;  // last returned beside tensors
  ProgramEvidence& evidence() { return evidence_; }
  const ProgramEvidence& evidence() const { return evidence_; }
  const Program& program() const { return program_; }
  void close();  // ends the host and keeps what it printed

 private:
  bool batch(const std::vector<CallPlace>& places, double seconds_max);
  bool burst(const std::vector<CallPlace>& places, double seconds_max);
  Status make_arenas();
  Status copy_weights();
  LoadRequest load_request() const;
  CallRequest request_of(const std::vector<CallPlace>& places);
  Status lay_out(const std::vector<CallPlace>& places, CallRequest& request);
  bool take_reply(const CallPlace& place, const HostReply& reply, std::int64_t revealed_at,
                  const Result<std::vector<std::uint64_t>>& begun, bool alone);
  Status reveal(const CallPlace& place, int slot, std::int64_t at);
  Status draw_red_zones(int slot, std::int64_t at);
  Status copy_input(const CallPlace& place, std::int64_t at);
  Status poison_output(int slot);
  std::int64_t shift_of(const CallPlace& place) const;
  Slice output_slot(int slot) const;
  Slice snapshot_of(const CallPlace& place) const;
  Status take_outputs(const CallPlace& place, int slot, std::uint64_t begun);
  Status look_at_inputs(const CallPlace& place, int slot, std::int64_t revealed_at);
  Result<bool> red_zones_intact(const Arena& arena, const ArenaLayout& layout, int slot,
                                std::int64_t shift) const;
  Status take_result(const CallPlace& place, int slot, std::int64_t revealed_at,
                     std::uint64_t begun);
  // The outputs of a request's calls as they were when a frame of the host's was here.
  struct Fixed {
    Result<std::vector<std::uint64_t>> begun;  // one a call; see Device::begin_snapshot
    std::int64_t at_ns = 0;
  };
  struct Fixing {
    std::shared_ptr<Fixed> fixed;
    Host::OnFrame at_once;
  };
  struct Shown;
  struct RowRun;
  struct BurstRun;
  Fixing fixing_of(const std::vector<CallPlace>& places);
  bool call_once(const CallPlace& place, std::int64_t gate_ns, double seconds_max,
                 const std::function<void(const HostReply&, const Fixed&)>& note);
  Shown sample_shown() const;
  Status take_shown(const CallPlace& place, const Shown& shown);
  Host::Turn turn_of_calls(BurstRun& run);
  Host::Turn turn_of_copying(BurstRun& run);
  Status reveal_last(const BurstRun& run);
  Status take_away(const BurstRun& run);
  Status await_quiet(const BurstRun& run);
  Host::Turn turn_of_call(RowRun& run, std::size_t call);
  Status reveal_in_row(RowRun& run, std::size_t call);
  int core_of_next_call();
  Result<std::vector<std::uint64_t>> begin_snapshots(const std::vector<CallPlace>& places);
  std::int64_t bracket_of(const HostReply& reply, const Fixed& fixed) const;
  bool form_matches(const CallPlace& place, const ResultForm& form);
  void add_mismatch(const CallPlace& place, const char* kind, const std::string& got,
                    std::string want);
  bool device_failed(const Error& error);
  bool finish_after_reply(const CallPlace& place);
  Status poison_for_recall();
  Status fill_in_inputs(const CallPlace& place);
  bool take_fault(const HostReply& reply, const CallPlace& place);

  const LaneContext& context_;
  Program program_;
  std::unique_ptr<Host> host_;
  Rng rng_;
  std::map<int, std::vector<std::string>> values_;  // by set
  SlotLayout input_layout_;
  SlotLayout output_layout_;
  ArenaLayout input_slots_;
  ArenaLayout output_slots_;
  Arena input_;
  Arena output_;
  Arena weights_;
  Baton baton_;
  ProgramEvidence evidence_;
  std::uint64_t digest_key_ = 0;           // of the current call
  bool called_ = false, running_ = false;  // running_: beside others; see pause()
  int held_ = 0;
};

}  // namespace cupel::measure
