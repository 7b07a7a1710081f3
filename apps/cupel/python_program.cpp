#include "python_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/files.h"
#include "commands.h"
#include "measure/jail/python_environment.h"

namespace cupel::cli {
namespace {

void put_first_on_python_path(const std::string& directory) {
  const char* const before = std::getenv("PYTHONPATH");
  const std::string path =
      before != nullptr && *before != '\0' ? directory + ":" + before : directory;
  setenv("PYTHONPATH", path.c_str(), 1);
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return argv;
}

}  // namespace

Result<int> become_python(const std::string& module, const std::vector<std::string>& arguments,
                          const Options& options) {
  CUPEL_TRY(const auto home, home_directory());
  CUPEL_TRY(const auto python,
            measure::inspect_python(measure::choose_python(options.python, home)));
  put_first_on_python_path((home / "python").string());
  std::vector<std::string> words{python.executable, "-m", module};
  words.insert(words.end(), arguments.begin(), arguments.end());
  execv(python.executable.c_str(), pointers(words).data());
  return environment_error(std::strerror(errno), python.executable);
}

Result<int> run_optimize_model(const Options& options) {
  std::error_code problem;  // of a path that is not known PATH has to know it
  const auto binary = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (!problem) setenv("CUPEL_BINARY", binary.c_str(), 1);
  return become_python("cupel.whole_model", options.passed_on, options);
}

Result<int> run_capture(const Options& options) {
  return become_python("cupel.capture", options.passed_on, options);
}

}  // namespace cupel::cli
