// A task on one of its held-out shapes.
#pragma once

#include <string>

#include "base/result.h"
#include "model/task.h"

namespace cupel::task {

// An input error for an entry of the task's held-out shapes that assigns to no name of its source.
Status check_held_out(const Task& task);

// `shape` is an entry of the task's settings, a task file's. The result holds nothing out.
Task on_shape(const Task& task, const std::string& shape);

}  // namespace cupel::task
