#include "task/held_out.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/words.h"

namespace cupel::task {
namespace {

// The names left of an assignment's first sign of equality: "A, B = 3, 4" has two.
std::vector<std::string> names_assigned(std::string_view assignment) {
  std::vector<std::string> names(1);
  for (const char c : assignment.substr(0, assignment.find('='))) {
    if (is_word_char(c)) {
      names.back() += c;
    } else if (!names.back().empty()) {
      names.emplace_back();
    }
  }
  if (names.back().empty()) names.pop_back();
  return names;
}

}  // namespace

Status check_held_out(const Task& task) {
  for (const std::string& shape : task.settings.held_out) {
    const auto names = names_assigned(shape);
    if (shape.find('=') == shape.npos || names.empty()) {
      return input_error(fmt::format("held_out: '{}' assigns nothing", shape), task.path,
                         "write \"ROWS = 41\", with a name of the task file's");
    }
    for (const std::string& name : names) {
      if (find_word(task.source, name) != std::string::npos) continue;
      return input_error(fmt::format("held_out: '{}' changes no shape, since the task file has no "
                                     "'{}'",
                                     shape, name),
                         task.path, "assign to a name that its get_inputs() reads");
    }
  }
  return {};
}

// The assignments come last: functions read a module's names when they are called.
Task on_shape(const Task& task, const std::string& shape) {
  Task other = task;
  other.id = Hasher("held-out task").add("task", task.id).add("shape", shape).finish();
  other.name += " with " + shape;
  other.source += "\n" + shape + "\n";
  other.settings.held_out.clear();
  return other;
}

}  // namespace cupel::task
