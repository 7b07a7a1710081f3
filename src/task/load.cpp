#include "task/load.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/source_text.h"
#include "task/held_out.h"
#include "task/module_source.h"
#include "task/settings.h"
#include "task/shipped.h"

namespace cupel::task {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t k_task_bytes_max = 4 << 20;  // KernelBench's largest file has 16 KiB

void add_settings(Hasher& hasher, const TaskSettings& settings) {
  hasher.add("policy", to_string(settings.policy));
  hasher.add("strict_strides", static_cast<std::int64_t>(settings.strict_strides));
  hasher.add("allow_mutated_inputs", static_cast<std::int64_t>(settings.allow_mutated_inputs));
  // A file as constructed has the id that it had before there were modes.
  if (settings.mode != Mode::as_constructed) hasher.add("mode", to_string(settings.mode));
  for (const std::string& name : settings.value_classes) hasher.add("value_class", name);
  for (const std::string& shape : settings.held_out) hasher.add("held_out", shape);
}

// `imported` is the text of the user's own module where it is known: the generated text that
// imports it does not change when the module does.
std::string task_id(const Task& task, std::string_view imported) {
  Hasher hasher("task");
  hasher.add("source", task.source).add("imported", imported);
  if (!task.weights.empty()) hasher.add("weights", task.weights_id);
  add_settings(hasher, task.settings);
  return hasher.finish();
}

Result<fs::path> existing_directory(const std::string& text, std::string_view what) {
  std::error_code problem;
  const fs::path path = fs::weakly_canonical(fs::absolute(text, problem), problem);
  if (problem || !fs::is_directory(path, problem)) {
    return input_error("no such directory", fmt::format("{} {}", what, text));
  }
  return path;
}

Result<fs::path> existing_file(const std::string& text) {
  std::error_code problem;
  const fs::path path = fs::weakly_canonical(fs::absolute(text, problem), problem);
  if (fs::is_directory(path, problem)) {
    return input_error("is a directory, not a task file", text, "name one .py file in it");
  }
  if (!fs::exists(path, problem)) {
    return input_error("no such file", text, "`cupel tasks` lists the tasks that come with Cupel");
  }
  return path;
}

// What is in the file is the referee's business.
Status add_weights(const std::string& file, Task& task) {
  if (file.empty()) return {};
  std::error_code problem;
  const fs::path path = fs::weakly_canonical(fs::absolute(file, problem), problem);
  if (!fs::is_regular_file(path, problem)) {
    return input_error(fs::exists(path, problem) ? "not a regular file" : "no such file", file,
                       "name a state dict that torch.save or safetensors wrote");
  }
  task.weights = path.string();
  CUPEL_TRY(task.weights_id, sha256_of_file(path));
  return {};
}

Status only_for_classes(const TaskArgument& argument) {
  if (argument.inputs.empty() && argument.init.empty()) return {};
  return input_error(
      fmt::format("'{}' is a file, which brings its own get_inputs()", argument.name),
      argument.inputs.empty() ? "--init" : "--inputs",
      "drop the option, or name a class as package.module:Class");
}

Result<Task> load_file(const TaskArgument& argument, const std::string& file) {
  CUPEL_TRY_STATUS(only_for_classes(argument));
  CUPEL_TRY(const fs::path path, existing_file(file));
  Task task;
  CUPEL_TRY(task.source, read_file(path, k_task_bytes_max));
  if (task.source.find_first_not_of(" \t\r\n") == std::string::npos) {
    return input_error("the task file is empty", path.string(),
                       "it must define Model and get_inputs()");
  }
  if (const std::string problem = source_problem(task.source); !problem.empty()) {
    return input_error("not plain UTF-8 text: " + problem, path.string(),
                       "save it as UTF-8 without a byte order mark or another coding cookie");
  }
  task.kind = Task::Kind::file;
  task.name = path.stem().string();
  task.path = path.string();
  task.import_root = path.parent_path().string();
  if (!argument.import_root.empty()) {
    CUPEL_TRY(const fs::path root, existing_directory(argument.import_root, "--import-root"));
    task.import_root = root.string();
  }
  CUPEL_TRY(task.settings, load_settings(path.parent_path(), task.name));
  if (argument.mode) task.settings.mode = *argument.mode;
  CUPEL_TRY_STATUS(check_held_out(task));
  CUPEL_TRY_STATUS(add_weights(argument.weights, task));
  task.id = task_id(task, "");
  return task;
}

// The module's own file below `root`, or "" where it is installed elsewhere.
fs::path module_file(const fs::path& root, std::string module) {
  for (char& c : module) c = c == '.' ? '/' : c;
  for (const fs::path& path : {root / (module + ".py"), root / module / "__init__.py"}) {
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path;
  }
  return {};
}

// A function has nothing to construct, so that its task is a file's, of our own text.
Status make_function(const TaskArgument& argument, const ModuleName& name,
                     const std::vector<InputTensor>& inputs, Task& task) {
  if (!argument.init.empty()) {
    return input_error("a function is not constructed", "--init",
                       "drop it; " + name.class_name +
                           " counts as a function because it begins with a small letter");
  }
  task.kind = Task::Kind::file;
  task.path = argument.name;
  task.source = function_task_source(name, inputs);
  return {};
}

Result<Task> load_class(const TaskArgument& argument) {
  CUPEL_TRY(const ModuleName name, parse_module_name(argument.name));
  if (argument.inputs.empty()) {
    return input_error("what its inputs are is not known", argument.name,
                       "add --inputs \"f32[16,256]\": one tensor per argument of forward");
  }
  CUPEL_TRY(const auto inputs, parse_input_spec(argument.inputs));
  CUPEL_TRY(const std::string init, normalize_init(argument.init));
  const std::string root_text = argument.import_root.empty() ? "." : argument.import_root;
  CUPEL_TRY(const fs::path root, existing_directory(root_text, "--import-root"));
  Task task;
  task.kind = Task::Kind::module;
  task.name = name.class_name;
  task.module = argument.name;
  task.input_spec = argument.inputs;
  task.init_spec = init;
  task.import_root = root.string();
  TaskSettings as_served;
  as_served.mode = Mode::inference;
  CUPEL_TRY(task.settings, load_settings(root, name.class_name, as_served));
  if (argument.mode) task.settings.mode = *argument.mode;
  task.source = module_task_source(name, inputs, init, task.settings.mode);
  if (names_function(name)) {
    CUPEL_TRY_STATUS(make_function(argument, name, inputs, task));
  }
  if (!task.settings.held_out.empty()) {
    return input_error("held_out is for task files: a class has no names to assign to",
                       argument.name, "write a task file that imports the class");
  }
  CUPEL_TRY_STATUS(add_weights(argument.weights, task));
  const fs::path file = module_file(root, name.module);
  std::string imported;
  if (!file.empty()) {
    CUPEL_TRY(imported, read_file(file, k_task_bytes_max));
  }
  task.id = task_id(task, imported);
  return task;
}

Result<Task> load_shipped(const TaskArgument& argument, const fs::path& directory) {
  const fs::path path = directory / (argument.name + ".py");
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return load_file(argument, path.string());
  CUPEL_TRY(const auto tasks, list_shipped(directory));
  const auto similar = similar_names(tasks, argument.name);
  return input_error("no task of this name comes with Cupel", argument.name,
                     similar.empty() ? "`cupel tasks` lists them; a file's name ends in .py"
                                     : fmt::format("did you mean {}?", fmt::join(similar, ", ")));
}

bool looks_like_path(std::string_view name) {
  return name.ends_with(".py") || name.find('/') != std::string_view::npos;
}

}  // namespace

Result<fs::path> shipped_directory() {
  CUPEL_TRY(const fs::path home, home_directory());
  return home / "tasks";
}

Result<Task> load(const TaskArgument& argument, const fs::path& tasks_directory) {
  if (argument.name.empty()) return input_error("no task named", "TASK");
  if (looks_like_path(argument.name)) return load_file(argument, argument.name);
  if (argument.name.find(':') != std::string::npos) return load_class(argument);
  return load_shipped(argument, tasks_directory);
}

}  // namespace cupel::task
