// What to optimize, and what the referee found out about it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/output_error.h"
#include "model/program_facts.h"

namespace cupel {

// The precision contract of a run; see docs/equality.md.
enum class Policy { eager, exact, tf32, half };
std::string_view to_string(Policy policy);
Result<Policy> parse_policy(std::string_view text);

// In which mode the model runs: as its constructor leaves it (training, normally), or after eval().
enum class Mode { as_constructed, inference };
std::string_view to_string(Mode mode);
Result<Mode> parse_mode(std::string_view text);
std::string_view describe(Mode mode);  // "as constructed", "in inference mode"

// Which time decides: of a call that somebody waits for, or per call of many that nobody waits for.
enum class Metric { latency, throughput };
std::string_view to_string(Metric metric);
Result<Metric> parse_metric(std::string_view text);

// What cupel.toml beside a task may say. Defaults are those of a bare KernelBench file.
struct TaskSettings {
  Policy policy = Policy::eager;
  Mode mode = Mode::as_constructed;
  std::vector<std::string> value_classes;  // empty: all that the reference survives
  bool strict_strides = false;             // outputs must keep the reference's memory format
  bool allow_mutated_inputs = false;       // the reference itself writes into its inputs
  // Of the winner's audit alone: assignments to the task file's names ("rows = 37; columns = 5").
  std::vector<std::string> held_out;
};

// A task is immutable and addressed by the hash of its source and settings.
struct Task {
  enum class Kind { file, module };
  std::string id;    // 64 hex digits
  std::string name;  // for people: the file's stem, or the class name
  Kind kind = Kind::file;
  std::string path;         // file: absolute path of the .py file
  std::string module;       // module: "pkg.mod:Class"
  std::string input_spec;   // module: "f32[16,256],i64[8]<100"
  std::string init_spec;    // module: a Python literal list of constructor arguments, or ""
  std::string import_root;  // directory put on sys.path (file: its parent)
  std::string source;       // file: its text; module: the generated task text
  std::string weights;      // absolute path of a state dict that the model is given; "": none
  std::string weights_id;   // SHA-256 of that file
  TaskSettings settings;
};

// One tensor leaf of the inputs or outputs. `strides` in elements; bytes = dense size.
struct TensorSpec {
  std::string dtype;  // torch's name without the prefix: "float32", "bfloat16", "int64", "bool"
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::int64_t bytes = 0;
  std::vector<std::string> ties = {};  // of an output, to other tensors: docs/protocol.md, "Ties"
};
inline constexpr const char* k_tie_input = "input";
bool lies_in_input(const TensorSpec& output);
// "f32[16,256]": what people read.
std::string describe(const TensorSpec& spec);

// The referee's description of a task, without values of tensors.
struct TaskFacts {
  std::vector<TensorSpec> inputs, outputs;  // tensor leaves, in flattening order
  std::string input_tree;  // structure with leaves replaced by indices (docs/protocol.md)
  std::string output_tree;
  bool has_value_inputs = false;     // some input leaves are not tensors; sent with each call
  std::vector<std::string> options;  // arguments of forward with a default that are not passed
  std::string init_pickle;           // base64 of the pickled constructor arguments
  std::int64_t parameter_count = 0;
  std::int64_t weight_bytes = 0;  // parameters and buffers, each aligned to 64
  std::int64_t input_bytes = 0;   // one input slot: leaves aligned to 64
  std::int64_t output_bytes = 0;  // one output slot: leaves aligned to 64
  std::int64_t peak_bytes = 0;    // estimate of one call's live tensors, weights included
  ProgramFacts program;
};

// The reference's own error under the policy's arithmetic, on one value class.
struct ClassReport {
  std::string name;  // "nominal", "large", "small", "shifted", "heavy_tails", ...
  bool kept = false;
  std::string reason;                // why it was dropped
  std::vector<OutputError> outputs;  // one per output leaf; worst of the admission samples
};

// A wrong program made from the reference, on one value class.
struct MutantReport {
  std::string name;  // "zeros", "constant", "mean", "identity", "other_input", ...
  std::string value_class;
  std::vector<OutputError> outputs;
};

// Raw result of linting a task; judge::admit turns it into an Admission.
struct AdmissionEvidence {
  std::string oracle;  // "float64", or "float32" where the reference cannot run in float64
  bool deterministic = true;
  bool mutates_inputs = false;
  bool changes_state = false;  // a call writes to the module's buffers
  bool uses_tf32 = false;      // under `eager`: the reference's own error is TF32's
  bool in_half = false;  // all weights, inputs and outputs that are floats have 16 bits at most
  std::vector<double> in_two_terms = {};  // under `exact`, per output: two_terms.py; 0: not known
  std::string half_way;  // under `half`: "bfloat16", "autocast to bfloat16", ...; else empty
  std::vector<bool> input_fully_read;  // per input leaf: every probed element changed the output
  double reference_ms = 0;
  std::vector<ClassReport> classes;
  std::vector<std::string> no_near_ties = {};  // of them: near ties explained nothing
  std::vector<MutantReport> mutants;
  std::vector<std::string> notes;
};

// How far from the oracle a candidate may be, per value class and output leaf.
struct Tolerance {
  std::string value_class;
  std::vector<double> rms_max;
  std::vector<double> error_max;
  std::vector<std::int64_t> mismatched_max;
  std::vector<double> group_max;  // of OutputError::group
};

// What linting concluded. `degenerate`: why the task cannot tell right from wrong; mostly empty.
struct Admission {
  AdmissionEvidence evidence;
  double k = 0;                // multiple of the reference's own error that is allowed
  double k_rms = 0;            // the same of its rms over all elements
  bool low_precision = false;  // that error is half precision's or TF32's
  std::vector<Tolerance> tolerances;
  std::vector<std::string> degenerate;
  std::vector<std::string> weak_at_1e2;  // mutants that plain allclose at 1e-2 would accept
};

// Versioned JSON, one object; decoding names the missing or mistyped field.
std::string encode(const TaskFacts& facts);
std::string encode(const AdmissionEvidence& evidence);
std::string encode(const Admission& admission);
Result<TaskFacts> decode_task_facts(std::string_view json);
Result<AdmissionEvidence> decode_admission_evidence(std::string_view json);
Result<Admission> decode_admission(std::string_view json);

}  // namespace cupel
