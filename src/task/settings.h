// NAME.toml or cupel.toml beside a task.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "model/task.h"

namespace cupel::task {

// `defaults` when neither `directory`/`name`.toml nor `directory`/cupel.toml exists; the first that
// exists is read. An input error names file and line.
Result<TaskSettings> load_settings(const std::filesystem::path& directory, std::string_view name,
                                   const TaskSettings& defaults = {});

// `file` is what errors point at.
Result<TaskSettings> parse_settings(std::string_view toml, std::string_view file,
                                    const TaskSettings& defaults = {});

}  // namespace cupel::task
