// The tasks that come with Cupel.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cupel::task {

struct ShippedTask {
  std::string name;  // the file's stem
  std::filesystem::path path;
  std::string summary;  // first line of the file's docstring; may be empty
};

// Sorted by name.
Result<std::vector<ShippedTask>> list_shipped(const std::filesystem::path& directory);

// First line of the docstring that a Python source opens with, or "".
std::string docstring_line(std::string_view source);

// Names that contain, or share a beginning with, `name`: for "did you mean".
std::vector<std::string> similar_names(const std::vector<ShippedTask>& tasks,
                                       std::string_view name);

}  // namespace cupel::task
