// Programs and tasks as the winner's audit has them called beside the task's own way: inputs in
// other layouts, inputs that broadcast, with the module's state as an output. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/candidate.h"
#include "model/task.h"

namespace cupel::engine {

// A layout of the inputs: its name in python/cupel/arranged.py, and for people.
struct InputLayout {
  std::string_view name;
  std::string_view what;
  std::size_t dimensions_min;  // inputs of fewer stay as they are
  bool of_time = false;        // means nothing on a CPU
};
inline constexpr auto k_input_layouts = std::to_array<InputLayout>({
    {"offset", "inputs that begin one element into memory", 0},
    {"sliced", "inputs that are slices of wider tensors", 1},
    {"stepped", "inputs that are every second element of wider tensors", 1},
    {"transposed", "inputs that are transposed views", 2},
    {"longer", "inputs that are slices of longer tensors", 3},
    {"channels_last", "inputs whose second dimension lies innermost", 3},
    {"late", "inputs that a layer before has yet to make", 0, true},
});
// Those that change something of such inputs there.
std::vector<InputLayout> input_layouts(const TaskFacts& facts, bool on_gpu);

// `class_name`: "Model" or "ModelNew".
Candidate in_layout(const Candidate& program, std::string_view class_name,
                    const InputLayout& layout);

// Inputs (indices of leaves, at most two) whose first row alone may broadcast to the whole: others
// have their shape.
std::vector<std::size_t> that_may_broadcast(const TaskFacts& facts);
// Whether all outputs have the same shapes.
bool returns_alike(const TaskFacts& one, const TaskFacts& other);
std::string broadcast_name(std::size_t input);
Task with_broadcast(const Task& task, std::size_t input);

// The result of a call together with the buffers that it leaves.
Task with_state(const Task& task);
Candidate with_state(const Candidate& program);

}  // namespace cupel::engine
