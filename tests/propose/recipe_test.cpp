// The generated texts are run for real: one Python process for all of them.
#include "propose/recipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string_view>

#include "base/files.h"
#include "propose/portfolio.h"
#include "propose/sample_task.h"

namespace cupel::propose {
namespace {

// One of each kind; CUPEL_TEST_ALL_SEEDS=1 runs every product (some minutes).
constexpr std::string_view k_run[] = {"eager",      "inference_mode", "channels_last",
                                      "bf16",       "autocast",       "one_thread",
                                      "fold_norms", "trace",          "channels_last+fold_norms",
                                      "compile",    "bf16+freezing",  "channels_last+bf16+trace"};
// In standard deviations of the output; bfloat16 keeps 8 bits.
constexpr double k_error_fp32_max = 1e-4;
constexpr double k_error_bf16_max = 0.1;

std::string python() {
  const char* chosen = std::getenv("CUPEL_PYTHON");
  if (chosen != nullptr) return chosen;
  const auto home = home_directory();
  const auto own = home ? *home / ".venv/bin/python" : std::filesystem::path();
  return std::filesystem::exists(own) ? own.string() : "python3";
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[4096];
  while (const std::size_t got = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  pclose(pipe);
  return text;
}

bool has_torch() {
  return output_of(python() + " -c 'import torch; print(1)' 2>/dev/null") == "1\n";
}

bool is_run(const Seed& seed) {
  return std::getenv("CUPEL_TEST_ALL_SEEDS") != nullptr ||
         std::find(std::begin(k_run), std::end(k_run), seed.name) != std::end(k_run);
}

// "NAME ok ERROR" lines to {NAME: ERROR}; failures are left out.
std::map<std::string, double> errors_in(const std::string& output) {
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

double error_max(const std::string& name) {
  const bool low =
      name.find("bf16") != std::string::npos || name.find("autocast") != std::string::npos;
  return low ? k_error_bf16_max : k_error_fp32_max;
}

TEST(Recipe, EverySeedComputesTheSame) {
  if (!has_torch()) GTEST_SKIP() << python() << " has no torch; set CUPEL_PYTHON";
  const auto directory = TempDir::create("/tmp", "cupel-seeds");
  ASSERT_TRUE(directory);
  const std::string task_path = (directory->path() / "task.py").string();
  ASSERT_TRUE(write_file_atomic(task_path, k_sample_source));
  std::string command = python() + " " +
                        (std::filesystem::path(__FILE__).parent_path() / "run_seeds.py").string() +
                        " " + task_path;
  const auto seeds = portfolio(sample_task(), sample_facts(), Policy::half, Effort::full);
  for (const Seed& seed : seeds) {
    const auto path = directory->path() / (seed.name + ".py");
    ASSERT_TRUE(write_file_atomic(path, seed.source));
    if (is_run(seed)) command += " " + path.string();
  }
  const std::string output = output_of(command + " 2>&1");
  const auto errors = errors_in(output);
  for (const Seed& seed : seeds) {
    if (!is_run(seed)) continue;
    ASSERT_TRUE(errors.contains(seed.name)) << seed.name << "\n" << output;
    EXPECT_LE(errors.at(seed.name), error_max(seed.name)) << seed.name;
  }
}

TEST(Recipe, NamesAreJoinedFromTheChoices) {
  EXPECT_EQ(name_of({}), "eager");
  EXPECT_EQ(name_of({.runner = Runner::compiled}), "compile");
  EXPECT_EQ(name_of({.layout = Layout::channels_last}), "channels_last");
  EXPECT_EQ(name_of({.layout = Layout::channels_last,
                     .precision = Precision::bf16,
                     .one_thread = true,
                     .runner = Runner::frozen}),
            "channels_last+bf16+one_thread+freezing");
}

TEST(Recipe, TheControlIsTheReference) {
  const std::string text = render({}, "class Model: ...\n");
  EXPECT_NE(text.find("class ModelNew(Model):\n    \"\"\"eager.\"\"\"\n"), std::string::npos);
  EXPECT_EQ(text.find("def "), std::string::npos);
}

TEST(Recipe, TheTasksSourceIsKeptAsItIs) {
  for (const Runner runner : {Runner::eager, Runner::frozen, Runner::traced}) {
    EXPECT_NE(render({.runner = runner}, k_sample_source).find(k_sample_source), std::string::npos);
  }
}

}  // namespace
}  // namespace cupel::propose
