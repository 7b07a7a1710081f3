#include "task/shipped.h"

#include <algorithm>

#include "base/files.h"

namespace cupel::task {
namespace {

constexpr std::size_t k_task_bytes_max = 4 << 20;
constexpr std::size_t k_common_prefix_min = 3;

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const auto [at, unused] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(at - a.begin());
}

}  // namespace

std::string docstring_line(std::string_view source) {
  const std::size_t start = source.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return "";
  source.remove_prefix(start);
  if (!source.starts_with("\"\"\"") && !source.starts_with("'''")) return "";
  const auto quote = source.substr(0, 3);
  source.remove_prefix(3);
  source = source.substr(0, source.find(quote));
  const std::size_t text = source.find_first_not_of(" \t\r\n");
  if (text == std::string_view::npos) return "";
  source.remove_prefix(text);
  return std::string(source.substr(0, source.find_first_of("\r\n")));
}

Result<std::vector<ShippedTask>> list_shipped(const std::filesystem::path& directory) {
  std::vector<ShippedTask> tasks;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(directory, problem)) {
    if (entry.path().extension() != ".py") continue;
    CUPEL_TRY(const std::string source, read_file(entry.path(), k_task_bytes_max));
    tasks.push_back({entry.path().stem().string(), entry.path(), docstring_line(source)});
  }
  if (problem) {
    return environment_error("the shipped tasks are missing: " + problem.message(),
                             directory.string(), "set CUPEL_HOME to Cupel's directory");
  }
  std::sort(tasks.begin(), tasks.end(),
            [](const ShippedTask& a, const ShippedTask& b) { return a.name < b.name; });
  return tasks;
}

std::vector<std::string> similar_names(const std::vector<ShippedTask>& tasks,
                                       std::string_view name) {
  std::vector<std::string> names;
  for (const ShippedTask& task : tasks) {
    const bool contains = !name.empty() && task.name.find(name) != std::string::npos;
    if (contains || common_prefix(task.name, name) >= k_common_prefix_min) {
      names.push_back(task.name);
    }
  }
  return names;
}

}  // namespace cupel::task
