// A task on one of its held-out shapes.
#pragma once

#include <string>

#include "model/task.h"

namespace cupel::task {

// `shape` is an entry of the task's settings, a task file's. The result holds nothing out.
Task on_shape(const Task& task, const std::string& shape);

}  // namespace cupel::task
