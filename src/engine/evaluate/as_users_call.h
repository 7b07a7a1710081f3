// Programs and tasks as the winner's audit has them called beside the task's own way: inputs in
// other layouts, inputs that broadcast, with the module's state as an output. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/candidate.h"
#include "model/task.h"

namespace cupel::engine {

// A layout of the inputs: its name in python/cupel/arranged.py, and for people. The last one is of
// time, and means nothing on a CPU.
struct InputLayout {
  std::string_view name;
  std::string_view what;
};
inline constexpr auto k_input_layouts = std::to_array<InputLayout>({
    {"offset", "inputs that begin one element into memory"},
    {"sliced", "inputs that are slices of wider tensors"},
    {"stepped", "inputs that are every second element of wider tensors"},
    {"transposed", "inputs that are transposed views"},
    {"late", "inputs that the current stream has yet to make"},
});
std::span<const InputLayout> input_layouts(bool on_gpu);

// `class_name`: "Model" or "ModelNew".
Candidate in_layout(const Candidate& program, std::string_view class_name,
                    const InputLayout& layout);

// Inputs (indices of leaves, at most two) whose first row alone may broadcast to the whole: others
// have their shape.
std::vector<std::size_t> that_may_broadcast(const TaskFacts& facts);
// Whether all outputs have the same shapes.
bool returns_alike(const TaskFacts& one, const TaskFacts& other);
std::string broadcast_name(std::size_t input);
// Of a task file.
Task with_broadcast(const Task& task, std::size_t input);

// The result of a call together with the buffers that it leaves.
Task with_state(const Task& task);
Candidate with_state(const Candidate& program);

}  // namespace cupel::engine
