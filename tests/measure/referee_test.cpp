// The referee with one process and with two, on real torch.
#include "measure/referee/referee.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "live_processes.h"
#include "measure/device/slots.h"

namespace cupel::measure {
namespace {

constexpr std::uint64_t k_input_seed = 11;
constexpr std::uint64_t k_weight_seed = 12;
constexpr int k_inputs = 5;

constexpr const char* k_task = R"(
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 4)

    def forward(self, x):
        return torch.relu(self.linear(x))

def get_inputs():
    return [torch.randn(3, 8)]

def get_init_inputs():
    return []
)";

// A referee that has opened and admitted the task, with a vault of its own.
struct Work {
  std::unique_ptr<Referee> referee;
  TaskFacts facts;
  VaultLayout layout;
  Arena vault;
};

class SharedWork : public testing::Test {
 protected:
  void start(int threads, Work& work, const std::filesystem::path& other_home = {}) {
    RefereeSettings settings;
    const auto home = home_directory();
    ASSERT_TRUE(home.has_value());
    settings.home = other_home.empty() ? *home : other_home;
    auto python = inspect_python(choose_python("", *home));
    ASSERT_TRUE(python.has_value()) << python.error().describe();
    settings.python = *python;
    settings.threads = threads;
    settings.memory_bytes_max = 8ULL << 30;
    settings.seconds_max = 120;
    settings.device = device_->traits();
    settings.unjailed = !sandbox::probe_grade(false).has_value();
    auto referee = Referee::start(settings);
    ASSERT_TRUE(referee.has_value());
    work.referee = std::move(*referee);
    open(work);
  }

  void open(Work& work) {
    Task task;
    task.path = "task.py";
    task.source = k_task;
    auto facts = work.referee->open(task, Policy::eager, k_input_seed, {"large"});
    ASSERT_TRUE(facts.has_value()) << facts.error().describe();
    work.facts = *facts;
    ASSERT_TRUE(work.referee->admit(1).has_value());
    work.layout = vault_layout(work.facts, 1, {8, 8, 1 << 20, 1 << 30});
    auto vault = device_->create_arena("test", work.layout.bytes);
    ASSERT_TRUE(vault.has_value());
    work.vault = std::move(*vault);
    ASSERT_TRUE(work.referee->share_vault(work.vault).has_value());
    ASSERT_TRUE(work.referee->weights(0, k_weight_seed, 0).has_value());
  }

  static std::vector<InputSet> prepare(Work& work) {
    auto sets = work.referee->prepare(0, k_inputs, work.layout.inputs_at, work.layout.input_stride,
                                      0, {InputMix::timed, 0, 0});
    EXPECT_TRUE(sets.has_value()) << sets.error().describe();
    return sets.value_or(std::vector<InputSet>());
  }

  std::shared_ptr<Device> device_ = open_cpu();
};

TEST_F(SharedWork, TwoProcessesMakeAndJudgeWhatOneDoes) {
  Work alone;
  Work shared;
  ASSERT_NO_FATAL_FAILURE(start(1, alone));
  ASSERT_NO_FATAL_FAILURE(start(2, shared));
  EXPECT_FALSE(alone.referee->is_shared());
  EXPECT_TRUE(shared.referee->is_shared());
  const auto left = prepare(alone);
  const auto right = prepare(shared);
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].input, right[i].input);
    EXPECT_EQ(left[i].value_class, right[i].value_class);
  }
  ASSERT_EQ(alone.layout.outputs_at, shared.layout.outputs_at);
  const std::int64_t inputs_end = alone.layout.outputs_at;
  EXPECT_TRUE(std::ranges::equal(host_bytes(alone.vault.at(0, inputs_end)),
                                 host_bytes(shared.vault.at(0, inputs_end))));

  std::vector<CompareItem> items;
  for (int i = k_inputs - 1; i >= 0; --i)
    items.push_back({0, i, 0, {alone.layout.output_at(i, 0)}, {{1}}, {}});
  const auto by_one = alone.referee->compare(items);
  const auto by_two = shared.referee->compare(items);
  ASSERT_TRUE(by_one.has_value() && by_two.has_value());
  for (std::size_t i = 0; i < items.size(); ++i) {
    // Nothing was computed into the slots, so that each input has an error of its own.
    EXPECT_GT(by_one->at(i).outputs.at(0).max, 0);
    EXPECT_EQ(by_one->at(i).outputs.at(0).max, by_two->at(i).outputs.at(0).max);
  }
  EXPECT_TRUE(shared.referee->release(0, k_inputs).has_value());
}

// Both of its processes: each has inputs to make.
TEST_F(SharedWork, APausedRefereeDoesNothing) {
  Work work;
  ASSERT_NO_FATAL_FAILURE(start(2, work));
  work.referee->pause();
  std::int64_t resumed_ns = 0;
  std::jthread resuming([&] {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    resumed_ns = SystemClock().now_ns();
    work.referee->resume();
  });
  EXPECT_EQ(prepare(work).size(), k_inputs);
  const std::int64_t prepared_ns = SystemClock().now_ns();
  resuming.join();
  EXPECT_GT(prepared_ns, resumed_ns);
}

// A process with two threads forks nothing.
TEST_F(SharedWork, AServerThatMayNotForkIsDoneWithout) {
  if (!sandbox::probe_grade(false)) GTEST_SKIP() << "no sandbox on this machine";
  auto home = TempDir::create(std::filesystem::temp_directory_path(), "home");
  ASSERT_TRUE(home.has_value() && home_directory().has_value());
  const auto python = home->path() / "python";
  std::filesystem::create_directories(python);
  std::filesystem::create_symlink(*home_directory() / "python/cupel", python / "cupel");
  std::ofstream(python / "sitecustomize.py")
      << "import threading, time\n"
         "threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()\n";
  Work work;
  ASSERT_NO_FATAL_FAILURE(start(1, work, home->path()));
  // Its jail shows the home.
  EXPECT_GT(processes_with({std::string("-m\0cupel.referee", 16), home->path()}), 0);
  EXPECT_EQ(prepare(work).size(), k_inputs);
}

}  // namespace
}  // namespace cupel::measure
