// From what the user typed to a Task. Reads files; runs no Python.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "model/task.h"

namespace cupel::task {

// What the user typed. `name` is one of
//   a path         "softmax.py", "dir/softmax.py": a task file (KernelBench's format)
//   a class        "pkg.mod:Class": needs `inputs`; `init` and `import_root` may help
//   a function     "pkg.mod:function", told by its small letter: needs `inputs`
//   a bare name    "softmax_rows": one of the shipped tasks
struct TaskArgument {
  std::string name;
  std::string inputs;             // classes only: "f32[16,256]"
  std::string init;               // classes only: "[256, 4]"
  std::string import_root;        // directory put on sys.path; "": the file's, or the current one
  std::string weights = {};       // file of a state dict that the model is given; "": none
  std::optional<Mode> mode = {};  // unset: what the settings say, or, of classes, inference
};

// `tasks_directory` holds the shipped tasks. Input errors say what was looked for, and where.
Result<Task> load(const TaskArgument& argument, const std::filesystem::path& tasks_directory);

// Where the shipped tasks lie: home_directory()/tasks.
Result<std::filesystem::path> shipped_directory();

}  // namespace cupel::task
