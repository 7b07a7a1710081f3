// One program of a round: its host, its arenas, its evidence. A lane reveals one call's inputs,
// lets the host run, and snapshots the outputs the moment the reply is here.
#pragma once

#include <memory>
#include <string>

#include "base/rng.h"
#include "measure/arena.h"
#include "measure/host.h"
#include "measure/plan.h"
#include "measure/slots.h"
#include "model/candidate.h"
#include "model/evidence.h"
#include "model/task.h"

namespace cupel::measure {

struct Program {
  Candidate candidate;
  std::string class_name;  // "ModelNew", or "Model" for the reference itself
  Role role = Role::candidate;
};

// What every lane of a round shares. All references outlive the lanes.
struct LaneContext {
  const TaskFacts& facts;
  const Arena& vault;
  const VaultLayout& layout;
  const std::vector<InstanceState>& weights;  // offsets relative to each instance's region
  const MeasurePlan& plan;
  bool strict_strides = false;
  bool may_mutate_inputs = false;
  int batch_calls_max = 1;
  std::uint64_t shift_key = 0;  // secret; where an input lies in its slot follows from it
};

// Where in the vault one call's data lies, and which call it is.
struct CallPlace {
  std::int64_t input = 0;
  std::string value_class;
  std::string values;
  int set = 0;      // index into the vault's input sets
  int program = 0;  // index into the set's output slots
  int instance = 0;
};

class Lane {
 public:
  Lane(const LaneContext& context, Program program, std::unique_ptr<Host> host, Rng rng);

  // Makes the arenas, hands over the weights and the program. False: evidence().fault says why.
  bool load();
  // One lockstep call: poison, reveal, run, snapshot. False when the outputs cannot be compared
  // (evidence() says why); `sample`, if not null, receives the times. The host stays frozen.
  bool call(const CallPlace& place, double seconds_max, CallSample* sample);
  // `places.size()` calls revealed at once. False as above.
  bool batch(const std::vector<CallPlace>& places, double seconds_max);

  bool alive() const { return evidence_.fault.kind == HostFault::Kind::none; }
  // Alive, and what it returned had the right form so far: worth further calls.
  bool usable() const { return alive() && evidence_.mismatches.empty(); }
  ProgramEvidence& evidence() { return evidence_; }
  const ProgramEvidence& evidence() const { return evidence_; }
  const Program& program() const { return program_; }
  // Ends the host and keeps what it printed.
  void close();

 private:
  Status make_arenas();
  void copy_weights();
  LoadRequest load_request() const;
  std::int64_t reveal(const CallPlace& place, int slot);
  std::int64_t output_slot(int slot) const;
  void poison_output(int slot);
  bool take_result(const CallPlace& place, int slot, std::int64_t revealed_at,
                   const ResultForm& form);
  bool form_matches(const CallPlace& place, const ResultForm& form);
  void add_mismatch(const CallPlace& place, const char* kind, std::string got, std::string want);
  std::uint64_t output_digest(int slot) const;
  bool take_fault(const HostReply& reply, const CallPlace& place);

  const LaneContext& context_;
  Program program_;
  std::unique_ptr<Host> host_;
  Rng rng_;
  SlotLayout input_layout_;
  SlotLayout output_layout_;
  Arena input_;
  Arena output_;
  Arena weights_;
  ProgramEvidence evidence_;
  std::uint64_t digest_key_ = 0;  // of the current call
};

}  // namespace cupel::measure
