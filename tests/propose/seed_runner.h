// Runs generated candidate files in one Python process: run_seeds.py.
#pragma once

#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "model/seed.h"
#include "python_command.h"

namespace cupel::propose {

using testing_tools::output_of;
using testing_tools::python;

inline bool has_torch() {
  return output_of(python() + " -c 'import torch; print(1)' 2>/dev/null") == "1\n";
}

// "NAME ok ERROR" lines to {NAME: ERROR}; failures are left out.
inline std::map<std::string, double> errors_in(const std::string& output) {
  std::map<std::string, double> errors;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, word;
    double error = 0;
    if (words >> name >> word >> error && word == "ok") errors[name] = error;
  }
  return errors;
}

// What the runner prints about these seeds of a task, on a device.
inline std::string run_seeds(const std::string& device, const std::string& task_source,
                             const std::vector<Seed>& seeds) {
  const auto directory = TempDir::create("/tmp", "cupel-seeds");
  if (!directory) return "no directory";
  const std::string task_path = (directory->path() / "task.py").string();
  if (!write_file_atomic(task_path, task_source)) return "no task file";
  const auto home = home_directory();
  if (!home) return home.error().describe();
  const auto runner = *home / "tests/propose/run_seeds.py";
  std::string command = python() + " " + runner.string() + " " + device + " " + task_path;
  for (const Seed& seed : seeds) {
    const auto path = directory->path() / (seed.name + ".py");
    if (!write_file_atomic(path, seed.source)) return "no seed file";
    command += " " + path.string();
  }
  return output_of(command + " 2>&1");
}

}  // namespace cupel::propose
