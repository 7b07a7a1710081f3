#include "engine/evaluate/as_users_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/hash.h"

namespace cupel::engine {
namespace {

// Each takes as long to lint as a task.
constexpr std::size_t k_broadcasts_max = 2;

Candidate with_line(const Candidate& program, const std::string& line) {
  return make_candidate(program.source + "\n" + line + "\n", program.label);
}

Task with_line(const Task& task, const std::string& what, const std::string& line) {
  Task other = task;
  other.id = Hasher("task as users call it").add("task", task.id).add("what", what).finish();
  other.name += " with " + what;
  other.source += "\n" + line + "\n";
  other.settings.held_out.clear();
  return other;
}

std::string state_line(std::string_view class_name) {
  return fmt::format("import cupel.arranged; cupel.arranged.tell_state({})", class_name);
}

bool is_floating(const TensorSpec& spec) {
  return spec.dtype.find("float") != std::string::npos;
}

}  // namespace

std::vector<InputLayout> input_layouts(const TaskFacts& facts, bool on_gpu) {
  const auto concerns = [&](const InputLayout& layout) {
    return (on_gpu || !layout.of_time) &&
           std::ranges::any_of(facts.inputs, [&layout](const TensorSpec& input) {
             return input.shape.size() >= layout.dimensions_min;
           });
  };
  std::vector<InputLayout> layouts;
  std::ranges::copy_if(k_input_layouts, std::back_inserter(layouts), concerns);
  return layouts;
}

Candidate in_layout(const Candidate& program, std::string_view class_name,
                    const InputLayout& layout) {
  return with_line(program, fmt::format("import cupel.arranged; cupel.arranged.arrange({}, \"{}\")",
                                        class_name, layout.name));
}

std::vector<std::size_t> that_may_broadcast(const TaskFacts& facts) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < facts.inputs.size(); ++i) {
    const TensorSpec& spec = facts.inputs[i];
    if (!is_floating(spec) || spec.shape.empty() || spec.shape.front() < 2) continue;
    const auto alike =
        std::count_if(facts.inputs.begin(), facts.inputs.end(),
                      [&spec](const TensorSpec& other) { return other.shape == spec.shape; });
    if (alike > 1) found.push_back(i);
  }
  // The last ones: what comes first mostly gives the result its shape.
  if (found.size() > k_broadcasts_max) found.erase(found.begin(), found.end() - k_broadcasts_max);
  return found;
}

bool returns_alike(const TaskFacts& one, const TaskFacts& other) {
  return std::equal(
      one.outputs.begin(), one.outputs.end(), other.outputs.begin(), other.outputs.end(),
      [](const TensorSpec& left, const TensorSpec& right) { return left.shape == right.shape; });
}

std::string broadcast_name(std::size_t input) {
  return fmt::format("input {} of one row, which broadcasts", input);
}

Task with_broadcast(const Task& task, std::size_t input) {
  const std::string line = fmt::format(
      "import cupel.arranged\n"
      "_all_inputs = get_inputs\n"
      "def get_inputs():\n"
      "    return cupel.arranged.narrowed(_all_inputs(), {})",
      input);
  return with_line(task, broadcast_name(input), line);
}

Task with_state(const Task& task) {
  return with_line(task, "its state", state_line("Model"));
}

Candidate with_state(const Candidate& program) {
  return with_line(program, state_line("ModelNew"));
}

}  // namespace cupel::engine
