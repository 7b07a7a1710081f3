// A user's own class or function as a task: the text of a task file that imports it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/task.h"
#include "task/input_spec.h"

namespace cupel::task {

// "pkg.mod:Class" taken apart.
struct ModuleName {
  std::string module;      // "pkg.mod"
  std::string class_name;  // "Class"
};
Result<ModuleName> parse_module_name(std::string_view text);

// The constructor's arguments as one Python list: "" -> "[]", "16, 4" -> "[16, 4]"; a text that
// is one list already stays as it is. Brackets and quotes must match; the values are Python's
// business.
Result<std::string> normalize_init(std::string_view text);

// Whether a name is a function's, by Python's habit: classes begin with a capital letter.
bool names_function(const ModuleName& name);

// A complete task file: Model, which calls the function with its tensors; get_inputs.
std::string function_task_source(const ModuleName& name, const std::vector<InputTensor>& inputs);

// A complete task file: Model (the class, in this mode), get_inputs, get_init_inputs.
std::string module_task_source(const ModuleName& name, const std::vector<InputTensor>& inputs,
                               std::string_view init_list, Mode mode);

}  // namespace cupel::task
