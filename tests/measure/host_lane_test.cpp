// A lane with a real host, on a device that is used as a GPU is: rows whose inputs lie sealed,
// bursts.
#include "measure/lane/host_lane.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "base/files.h"
#include "far_device.h"
#include "host_settings_here.h"
#include "measure/call/plan.h"

namespace cupel::measure {
namespace {

constexpr double k_seconds_max = 60;
constexpr std::int64_t k_count = 50'000;  // numbers of an input and of an output: several tiles
constexpr int k_calls = 5;
constexpr const char* k_no_arguments = "gAQpLg==";  // an empty tuple, pickled

constexpr const char* k_doubles = R"(
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x * 2
)";

// The same, with something else in the host around it.
std::string doubles_with(const std::string& change) {
  const std::string host =
      "import sys, time\nhost = sys.modules.get(\"cupel.host\") or sys.modules[\"__main__\"]\n";
  return host + change + k_doubles;
}

// Takes 20 ms longer for each input that it opens.
constexpr const char* k_dawdles_as_it_opens = R"(
honest = host.Session._open_sealed
def open_sealed(self, at, size, index=0):
    honest(self, at, size, index)
    time.sleep(0.02)
host.Session._open_sealed = open_sealed
)";

// Opens an input only when its call has been given back.
constexpr const char* k_opens_late = R"(
honest_copied_call = host.Session._copied_call
def copied_call(self, instance, arguments, out, turn, before):
    result = honest_copied_call(self, instance, arguments, out, turn, lambda: None)
    before()
    return result
host.Session._copied_call = copied_call
)";

constexpr const char* k_fails_from_its_third_call_on = R"(
import torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
    def forward(self, x):
        self.calls += 1
        return x * 2 if self.calls < 3 else x[1, 2, 3]
)";

TaskFacts facts_of_task() {
  TaskFacts facts;
  facts.inputs = facts.outputs = {{"float32", {k_count}, {1}, 4 * k_count}};
  facts.input_tree = "[t]";
  facts.output_tree = "t";
  facts.init_pickle = k_no_arguments;
  return facts;
}

class HostLaneTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!sandbox::probe_grade(false)) GTEST_SKIP() << "no sandbox on this machine";
    auto settings = host_settings_here(device_);
    ASSERT_TRUE(settings.has_value()) << settings.error().describe();
    settings_ = *settings;
    settings_.probe =
        std::filesystem::path(sandbox::environment_or("CUPEL_BINARY", "")).parent_path() /
        "libcupel_probe.so";
    auto vault = device_.create_arena("vault", layout_.bytes);
    ASSERT_TRUE(vault.has_value());
    vault_ = std::move(*vault);
  }

  // Loaded, and called once.
  void start(const std::string& source) {
    auto host = Host::start(settings_);
    ASSERT_TRUE(host.has_value()) << host.error().describe();
    const auto ready = (*host)->wait_ready(k_seconds_max);
    ASSERT_TRUE(ready.has_value()) << ready.error().describe();
    Program program;
    program.candidate.source = source;
    program.class_name = "ModelNew";
    lane_ = std::make_unique<HostLane>(context_, program, std::move(*host), Rng(3));
    std::mutex gate;
    ASSERT_TRUE(lane_->load(gate)) << lane_->evidence().fault.what;
    for (int set = 0; set < k_calls; ++set) {
      places_.push_back({100 + set, "nominal", "", set, 0, 0});
      std::ranges::fill(numbers(vault_.at(layout_.input_at(set), 4 * k_count)), number(set));
    }
    ASSERT_TRUE(lane_->call(places_[0], k_seconds_max, nullptr)) << lane_->evidence().fault.what;
  }

  bool row() {
    std::vector<RowCall> calls;
    for (const CallPlace& place : places_) calls.push_back({place});
    return lane_->row(calls, {false, 0, k_seconds_max});
  }

  static float number(int set) { return static_cast<float>(set + 1); }
  static std::span<float> numbers(Slice slice) {
    return {reinterpret_cast<float*>(slice.address), k_count};
  }
  void forget(int set) { std::ranges::fill(numbers(output(set)), -1.0F); }
  Slice output(int set) const { return vault_.at(layout_.output_at(set, 0), 4 * k_count); }
  bool right(int set) const {
    return std::ranges::all_of(numbers(output(set)),
                               [set](float each) { return each == 2 * number(set); });
  }

  FarDevice device_;
  TaskFacts facts_ = facts_of_task();
  MeasurePlan plan_;
  VaultLayout layout_ = vault_layout(facts_, 1, {8, 8, 1 << 24, 1 << 30});
  Arena vault_;
  std::vector<InstanceState> weights_{{}};
  HostSettings settings_;
  CallContext context_{device_, facts_, vault_, layout_, weights_, plan_, false, false, 8, 7};
  std::unique_ptr<HostLane> lane_;
  std::vector<CallPlace> places_;
};

TEST_F(HostLaneTest, CallsOfARowFindTheirInputsOpened) {
  start(k_doubles);
  forget(0);
  ASSERT_TRUE(row()) << lane_->evidence().fault.what;
  for (int set = 0; set < k_calls; ++set) EXPECT_TRUE(right(set)) << set;
  const ProgramEvidence& evidence = lane_->evidence();
  EXPECT_TRUE(evidence.late_writes.empty());
  ASSERT_EQ(std::ssize(evidence.calls), k_calls);
  for (const CallSample& call : evidence.calls) {
    EXPECT_GT(call.seen_ns, 0);  // its host ran
    EXPECT_GT(call.claim_ns, 0);
    EXPECT_GT(call.bracket_ns, call.claim_ns);
  }
}

TEST_F(HostLaneTest, AnInputThatIsOpenedAfterItsCallIsALateWrite) {
  start(doubles_with(k_opens_late));
  ASSERT_TRUE(row()) << lane_->evidence().fault.what;
  EXPECT_EQ(std::ssize(lane_->evidence().late_writes), k_calls);
  EXPECT_FALSE(right(1));
}

TEST_F(HostLaneTest, CallsOfABurstFindTheirInputsOpened) {
  start(k_doubles);
  for (const bool counted : {false, true}) {  // the first one finds no memory
    forget(0);
    ASSERT_TRUE(lane_->several(places_, k_seconds_max)) << lane_->evidence().fault.what;
    for (int set = 0; set < k_calls; ++set) EXPECT_TRUE(right(set)) << set;
    const BatchSample& burst = lane_->evidence().batches.back();
    EXPECT_EQ(burst.counted, counted);
    EXPECT_EQ(burst.calls, k_calls);
    EXPECT_GT(burst.open_ns, 0);
    EXPECT_GE(burst.total_ns, burst.open_ns + burst.bracket_ns + burst.copy_ns);
  }
}

TEST_F(HostLaneTest, WorkDoneAsABurstsInputsAreOpenedIsInItsWhole) {
  start(doubles_with(k_dawdles_as_it_opens));
  ASSERT_TRUE(lane_->several(places_, k_seconds_max)) << lane_->evidence().fault.what;
  const BatchSample& burst = lane_->evidence().batches.back();
  EXPECT_GE(burst.open_ns, k_calls * 20'000'000);
  EXPECT_GE(burst.total_ns, burst.open_ns + burst.bracket_ns);
}

TEST_F(HostLaneTest, AFailureInABurstIsTheCallsOwn) {
  start(k_fails_from_its_third_call_on);
  EXPECT_FALSE(lane_->several(places_, k_seconds_max));
  const HostFault& fault = lane_->evidence().fault;
  EXPECT_EQ(fault.kind, HostFault::Kind::runtime_error);
  EXPECT_EQ(fault.phase, "call");
  EXPECT_NE(fault.what.find("IndexError"), std::string::npos) << fault.what;
}

}  // namespace
}  // namespace cupel::measure
