#include "task/held_out.h"

#include "base/hash.h"

namespace cupel::task {

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
