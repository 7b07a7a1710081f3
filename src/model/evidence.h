// Everything measured about the programs of one judgement, raw. Made by measure, read by judge.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/endurance.h"
#include "model/round_cost.h"
#include "model/samples.h"
#include "model/task.h"

namespace cupel {

// What a program is in a round. The first program of a round is the baseline (the twin).
enum class Role { baseline, rival, candidate };
std::string_view to_string(Role role);

// A difference that needs no arithmetic: structure, shape, dtype, type, strides.
struct FormMismatch {
  std::string kind;  // "structure", "shape", "dtype", "type", "strides"
  std::string got;
  std::string want;
  std::int64_t input = 0;
};

// How a host ended.
struct HostFault {
  enum class Kind {
    none,
    build_error,    // a compiler rejected the candidate's source
    runtime_error,  // an exception, or death by a signal
    timeout,
    out_of_memory,
    invalid_reply,  // no usable ModelNew, or a reply that breaks the protocol
    infra,          // our own failure (jail did not start, socket lost before loading)
  };
  Kind kind = Kind::none;
  std::string phase;   // "import", "construct", "prepare", "call", "batch"; "recall": reading
                       // outputs of earlier calls
  std::string what;    // one sentence: the exception, the signal, the limit
  std::string detail;  // tail of the traceback or compiler log
  std::int64_t input = -1;
  std::string value_class = {};  // of that input
};
std::string_view to_string(HostFault::Kind kind);

// CUDA kernels of a program's own that may use shared memory, by what reached a compiler.
struct SharingKernels {
  std::vector<std::string> names;
  bool unnamed = false;  // there may be others
};

struct ProgramEvidence {
  std::string candidate_id;
  std::string label;
  Role role = Role::candidate;
  bool trusted = false;  // Cupel wrote it: it must be right, and its host is taken at its word
  HostFault fault;
  double import_ms = 0;
  double construct_ms = 0;
  double first_call_ms = 0;  // includes compilation
  std::string weights;  // "loaded" (by name or value) or "seeded" (constructed under the same seed)
  bool layout_differs = false;  // an output's strides differ from the reference's
  std::vector<CallSample> calls;
  std::vector<CallSample> untimed;   // calls of rows that do not count: no place to put off work to
  std::vector<QueuedSample> queued;  // on a GPU: what the device does for a call
  std::vector<BatchSample> batches;
  std::vector<OutputCheck> checks;
  std::vector<FormMismatch> mismatches;
  std::vector<std::int64_t> mutated_inputs;  // inputs written to during a call
  std::vector<std::int64_t> late_writes;     // inputs whose outputs changed after the reply
  std::string output_tail;                   // last bytes of stdout and stderr
  std::string unaudited;                     // why a gain of it would stand without an audit
  std::vector<std::string> kernels;          // of cupel.inline, that it had built
  SharingKernels sharing;                    // known once an output was recalled
  Endurance endurance;                       // empty but in an audit
};

// The baseline, a program, it with a kernel that returns at once, and with one that ends it all.
struct KernelTrial {
  std::string kernel;
  std::vector<ProgramEvidence> programs;
};

// What the task's own calls never show: the reference and the program. `problem`: why there is no
// round.
struct HeldOutRound {
  enum class Kind {
    shape,   // an entry of TaskSettings::held_out
    layout,  // inputs in another layout, or of size 1 where they broadcast
    option,  // arguments that the task leaves at their defaults, or passes as None
    load,    // weights that are loaded after a call
    state,   // the buffers that a call leaves are among the outputs
    inputs,  // what a call leaves in its inputs is
  };
  Kind kind = Kind::shape;
  std::string shape;  // what is other than in the task's own calls
  std::string problem;
  TaskFacts facts;
  Admission admission;
  std::vector<ProgramEvidence> programs;
};

std::string_view to_string(HeldOutRound::Kind kind);

// How the tree of a result begins that holds but a part of what was wanted: what the program takes,
// or keeps, under its number in what was wanted (python/cupel/arranged.py). A claim.
inline constexpr std::string_view k_partial_tree = "{kept:{";
bool tells_a_part(const ProgramEvidence& program);

struct Evidence {
  std::string task_id;
  Policy policy = Policy::eager;
  Mode mode = Mode::as_constructed;
  Metric metric = Metric::latency;        // that decides what is faster
  std::vector<ProgramEvidence> programs;  // [0] is the baseline
  double floor_ms = 0;      // bytes that must move over measured bandwidth; 0: unknown
  std::string stop_reason;  // "settled", "budget", "fault", "calls"
  std::string sandbox_grade;
  std::string device;  // the GPU's name; empty for the CPU
  DeviceClocks clocks;
  int threads = 0;
  std::vector<std::string> untrained;  // what of the second weights is not as training leaves it
  std::string infra_fault;             // not empty: the round itself failed; nothing else counts
  RoundCost cost;
  int rounds = 1;  // on fresh hosts each
  // Of each round: the median exchange with a program that does nothing, called in rows as the
  // others are. Empty: there is none, on a GPU or where the judge cannot read its hosts' memory.
  std::vector<std::int64_t> exchanges_ns;
  // The same of calls whose host stood still until the input was there; 0: there were none, or no
  // others.
  std::vector<std::int64_t> still_exchanges_ns;
  int staged_calls_max = 0;  // of a row, on a GPU, with inputs sealed beforehand; 0: none are
  // Of an audit.
  std::vector<KernelTrial> kernel_trials;
  std::vector<HeldOutRound> held_out;
  std::vector<ProgramEvidence> memory_check;  // the baseline; the program under checkers; or none
  std::vector<ProgramEvidence> surroundings;  // both in surroundings like a user's; or none
};

std::string encode(const Evidence& evidence);
Result<Evidence> decode_evidence(std::string_view json);

}  // namespace cupel
