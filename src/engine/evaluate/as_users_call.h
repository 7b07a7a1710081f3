// Programs and tasks as the winner's audit has them called beside the task's own way: inputs in
// other layouts, outputs that are written to, inputs that broadcast, other options, with the
// module's state as an output. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/candidate.h"
#include "model/evidence.h"
#include "model/task.h"

namespace cupel::engine {

// A layout of the inputs, or what becomes of outputs: its name in python/cupel/arranged.py, and for
// people.
struct InputLayout {
  std::string_view name;
  std::string_view what;
  std::size_t dimensions_min;  // inputs of fewer stay as they are
  bool of_time = false;        // means nothing on a CPU
  bool of_weights = false;     // no layout, but when weights are loaded
};
inline constexpr auto k_input_layouts = std::to_array<InputLayout>({
    {"offset", "inputs that begin one element into memory", 0},
    {"sliced", "inputs that are slices of wider tensors", 1},
    {"stepped", "inputs that are every second element of wider tensors", 1},
    {"transposed", "inputs that are transposed views", 2},
    {"longer", "inputs that are slices of longer tensors", 3},
    {"channels_last", "inputs whose second dimension lies innermost", 3},
    {"written", "outputs that are written to before the next call", 0},
    {"late", "inputs that a layer before has yet to make", 0, true},
    {"loaded_later", "weights that are loaded after a call", 0, false, true},
});
// Those that change something of such inputs there.
std::vector<InputLayout> input_layouts(const TaskFacts& facts, bool on_gpu);

// `class_name`: "Model" or "ModelNew".
Candidate in_layout(const Candidate& program, std::string_view class_name,
                    const InputLayout& layout);

// Further outputs of a program that tells more than its result: what calls leave in its buffers, or
// in its inputs, or what it answers where inputs broadcast. The reference tells all that it has;
// a program tells what is wanted of it, or which part of that it has.
struct FurtherOutputs {
  std::string_view what;        // for people
  std::string_view tell;        // the function of Python's that has them told
  std::string_view key;         // under which they lie in the result
  bool have_types = false;      // what is wanted has a dtype and a shape
  std::int64_t most = 0;        // that are told at once, each as large as the result; 0: no limit
  std::string_view names = "";  // what their names stand for
};
inline constexpr FurtherOutputs k_state{"what calls leave in the module's buffers",
                                        "arranged.tell_state", "state", true};
inline constexpr FurtherOutputs k_inputs{"what a call leaves in its inputs", "arranged.tell_inputs",
                                         "inputs", true};
inline constexpr FurtherOutputs k_broadcasts{
    "inputs of size 1 that broadcast", "broadcasts.tell", "forms", false, 8, "input.dimension"};
inline constexpr FurtherOutputs k_options{
    "arguments that the task leaves at their defaults or passes as None",
    "options.tell",
    "forms",
    false,
    8,
    "argument.value"};

// The entries of a dictionary of Python's: what the reference tells, in its order; `facts`: of the
// task telling() it.
std::vector<std::string> told_by(const FurtherOutputs& outputs, const TaskFacts& facts);
// Those of `wanted` that a program has, where it tells a part.
std::vector<std::string> part_of(const std::vector<std::string>& wanted,
                                 const ProgramEvidence& program);

// What they are, for people, with the names of forms.
std::string described(const FurtherOutputs& outputs, const std::vector<std::string>& wanted);

// The task with all that its reference has; `facts`: the task's own.
Task telling(const Task& task, const FurtherOutputs& outputs, const TaskFacts& facts);
Task telling(const Task& task, const FurtherOutputs& outputs,
             const std::vector<std::string>& wanted);
Candidate telling(const Candidate& program, const FurtherOutputs& outputs,
                  const std::vector<std::string>& wanted);

}  // namespace cupel::engine
