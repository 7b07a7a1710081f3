// What the judge and a host say to each other, as values (docs/protocol.md has the frames).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/deadline.h"
#include "base/result.h"
#include "model/evidence.h"
#include "model/kernel_body.h"
#include "model/profile.h"
#include "model/task.h"

namespace cupel::measure {

// Of what a program prints the end is kept; of what a host reports, so much is.
inline constexpr std::size_t k_output_tail_bytes = 8 << 10;

// Our own fault, not the host's.
inline HostFault infra_fault(std::string phase, const Error& error) {
  HostFault fault;
  fault.kind = HostFault::Kind::infra;
  fault.phase = std::move(phase);
  fault.what = error.describe();
  return fault;
}

// What the host says a result looks like; the data lies in its output slot.
struct LeafForm {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::vector<std::string> ties = {};  // as of TensorSpec
};
struct ResultForm {
  std::string tree;
  std::vector<LeafForm> leaves;
  std::vector<std::string> values;  // leaves that are no tensors, as the host tells them
};

// The outcome of one request to a host. Times in nanoseconds: sent and arrived are the judge's
// clock, claims the host's.
struct HostReply {
  HostFault fault;          // kind none when the rest holds an answer
  bool wrong_type = false;  // the program returned something that is not a plain tensor
  Moment sent;              // the request, by the host's pauses
  std::int64_t arrived_ns = 0;
  double import_ms = 0;
  double construct_ms = 0;
  std::string weights;
  std::int64_t claim_ns = 0;
  std::vector<ResultForm> results;      // one a call
  std::vector<std::int64_t> claims_ns;  // of a row
  std::int64_t device_ns = 0;           // of a queued call; see QueuedSample
  std::vector<StateChange> left_behind;

  bool failed() const { return fault.kind != HostFault::Kind::none; }
  std::int64_t bracket_ns() const { return arrived_ns - sent.at_ns; }
};

// One instance's state in the weights arena.
struct WeightTensor {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::int64_t offset = 0;  // in the arena
  std::int64_t bytes = 0;
};
struct InstanceState {
  std::uint64_t seed = 0;
  std::vector<WeightTensor> tensors;
  std::vector<std::string> notes;  // what of it is not as training leaves weights
};

// One kernel of a program's own, by its name, that is to have another body.
struct Substitution {
  std::string kernel;
  KernelBody body = KernelBody::own;
};

struct LoadRequest {
  std::string source;
  std::string class_name;
  std::string init_pickle;
  std::string input_tree;
  std::vector<TensorSpec> inputs;
  std::vector<std::int64_t> input_offsets;  // of the leaves within a slot
  std::int64_t output_room_bytes = 0;
  std::vector<InstanceState> instances;
  std::vector<int> arena_fds;  // inputs, outputs, weights, the baton
  std::vector<std::int64_t> arena_bytes;
  Substitution substitution;
  bool holds = false;          // Host::hold() may be asked for
  std::vector<int> in_inputs;  // outputs that may lie in an input, and need not outlive it
  // Where not empty, there is no program: calls return at once what has this form.
  std::string nothing_tree;
  std::vector<TensorSpec> nothing_leaves;
};

// One call, or several in a batch: slots' offsets in the arenas.
struct CallRequest {
  int instance = 0;
  // Over 0: a queued call; the device waits for the end of its launches, but no longer than this.
  std::int64_t gate_ns = 0;
  int core = -1;  // that the host's main thread stays on from now on; -1: any
  // On a GPU: inputs lie sealed, so many bytes of each. Of a row: its host empties the level-2
  // cache before each call, and not the judge (call/staged_row.h).
  std::optional<std::int64_t> sealed_bytes;
  std::vector<std::int64_t> inputs;
  std::vector<std::int64_t> outputs;
  std::vector<std::string> values;  // base64 of non-tensor leaves, one a call; may be empty strings
};

}  // namespace cupel::measure
