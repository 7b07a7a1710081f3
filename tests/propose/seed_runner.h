// Runs generated candidate files in one Python process: run_seeds.py.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "model/seed.h"

namespace cupel::propose {

inline std::string python() {
  const char* chosen = std::getenv("CUPEL_PYTHON");
  if (chosen != nullptr) return chosen;
  const auto home = home_directory();
  const auto own = home ? *home / ".venv/bin/python" : std::filesystem::path();
  return std::filesystem::exists(own) ? own.string() : "python3";
}

inline std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[4096];
  while (const std::size_t got = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  pclose(pipe);
  return text;
}

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
  const auto runner = std::filesystem::path(__FILE__).parent_path() / "run_seeds.py";
  std::string command = python() + " " + runner.string() + " " + device + " " + task_path;
  for (const Seed& seed : seeds) {
    const auto path = directory->path() / (seed.name + ".py");
    if (!write_file_atomic(path, seed.source)) return "no seed file";
    command += " " + path.string();
  }
  return output_of(command + " 2>&1");
}

}  // namespace cupel::propose
