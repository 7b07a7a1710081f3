#include "measure/call/staged_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <span>

#include "far_device.h"
#include "measure/call/plan.h"

namespace cupel::measure {
namespace {

constexpr std::int64_t k_count = 100;     // numbers of an input, and of a small output
constexpr std::int64_t k_many = 3 << 20;  // of a large one
constexpr int k_calls = 5;

TaskFacts facts_of_task() {
  TaskFacts facts;
  facts.inputs = facts.outputs = {{"float32", {k_count}, {1}, 4 * k_count}};
  facts.outputs.push_back({"float32", {k_many}, {1}, 4 * k_many});
  return facts;
}

class StagedRowTest : public testing::Test {
 protected:
  void SetUp() override {
    auto vault = device_.create_arena("vault", layout_.bytes);
    ASSERT_TRUE(vault.has_value());
    vault_ = std::move(*vault);
    ASSERT_TRUE(slots_.make().has_value());
    for (int call = 0; call < k_calls; ++call) {
      places_.push_back({100 + call, "nominal", "", call, 0, 0});
      fill(slots_.given(places_.back()), static_cast<float>(call + 1));
    }
    ASSERT_TRUE(row_.lay_out(places_, request_).has_value());
  }

  static std::span<float> numbers(Slice slice) {
    return {reinterpret_cast<float*>(slice.address), static_cast<std::size_t>(slice.bytes / 4)};
  }
  static void fill(Slice slice, float value) { std::ranges::fill(numbers(slice), value); }
  static bool holds(Slice slice, float value) {
    return std::ranges::all_of(numbers(slice).first(k_count),
                               [value](float each) { return each == value; });
  }
  Slice input(std::size_t call) const { return slots_.input(request_.inputs[call]); }
  Slice output(std::size_t call, std::size_t leaf = 0) const {
    return slots_.output(row_.slot(call), leaf);
  }

  FarDevice device_;
  TaskFacts facts_ = facts_of_task();
  MeasurePlan plan_;
  VaultLayout layout_ = vault_layout(facts_, 1, {8, 8, 1 << 28, 1 << 30});
  Arena vault_;
  std::vector<InstanceState> weights_;
  CallContext context_{device_, facts_, vault_, layout_, weights_, plan_, false, false, 1, 7};
  CallSlots slots_{context_, Rng(3)};
  StagedRow row_{device_, slots_};
  std::vector<CallPlace> places_;
  CallRequest request_;
};

TEST_F(StagedRowTest, EachCallHasASlotOfItsOwnInADrawnOrder) {
  std::set<int> slots;
  bool in_order = true;
  for (std::size_t call = 0; call < k_calls; ++call) {
    slots.insert(row_.slot(call));
    in_order &= row_.slot(call) == static_cast<int>(call);
    EXPECT_EQ(request_.outputs[call], slots_.output_at(row_.slot(call)));
  }
  EXPECT_EQ(slots.size(), k_calls);
  EXPECT_FALSE(in_order);
  EXPECT_GE(slots_.row_slots(), plan_.row_calls_max);
}

TEST_F(StagedRowTest, AnInputIsNotThereBeforeItsKeyIs) {
  EXPECT_EQ(request_.sealed_bytes, input(0).bytes);
  for (std::size_t call = 0; call < k_calls; ++call) {
    const auto wanted = static_cast<float>(call + 1);
    const auto sealed = numbers(input(call)).first(k_count);
    EXPECT_EQ(std::ranges::count(sealed, wanted), 0);
    std::set<std::uint32_t> different;  // as floats some are NaN, which no set can order
    for (const float number : sealed) different.insert(std::bit_cast<std::uint32_t>(number));
    EXPECT_GT(different.size(), k_count / 2);  // one key stream for all of it, not one word
    cipher_by_reference(host_bytes(input(call)), row_.key(call));
    EXPECT_TRUE(holds(input(call), wanted));
    EXPECT_TRUE(*slots_.as_given(places_[call], row_.slot(call), request_.inputs[call]));
  }
}

// What is there when a call is given back counts.
TEST_F(StagedRowTest, AnInputThatIsOpenedLaterIsNoticed) {
  for (std::size_t call = 0; call < k_calls; ++call) {
    if (call != 3) cipher_by_reference(host_bytes(input(call)), row_.key(call));
    ASSERT_TRUE(row_.take(call).has_value());
  }
  cipher_by_reference(host_bytes(input(3)), row_.key(3));
  for (std::size_t call = 0; call < k_calls; ++call) {
    EXPECT_TRUE(*slots_.as_given(places_[call], row_.slot(call), request_.inputs[call]));
    EXPECT_EQ(*row_.keep(call), call != 3);
  }
}

TEST_F(StagedRowTest, OutputsAreKeptAndLateWritesToThemNoticed) {
  for (std::size_t call = 0; call < k_calls; ++call) {
    fill(output(call), static_cast<float>(10 * call + 5));
    fill(output(call, 1), static_cast<float>(10 * call + 6));
    ASSERT_TRUE(row_.take(call).has_value());
  }
  numbers(output(2)).back() = 1.5F;  // of a small leaf each number counts
  const auto large = numbers(output(3, 1));
  std::ranges::fill(large.subspan(large.size() / 3, large.size() / 100), 1.5F);
  for (std::size_t call = 0; call < k_calls; ++call) {
    const auto unchanged = row_.keep(call);
    ASSERT_TRUE(unchanged.has_value());
    EXPECT_EQ(*unchanged, call != 2 && call != 3);
    if (!*unchanged) continue;
    EXPECT_TRUE(holds(slots_.snapshot(places_[call], 0), static_cast<float>(10 * call + 5)));
    EXPECT_TRUE(holds(slots_.snapshot(places_[call], 1), static_cast<float>(10 * call + 6)));
  }
}

// What was left undone is neither an earlier row's nor a number.
TEST_F(StagedRowTest, OutputsArePoisonBeforeARow) {
  fill(output(0), 4.0F);
  CallRequest again;
  ASSERT_TRUE(row_.lay_out(places_, again).has_value());
  for (std::size_t call = 0; call < k_calls; ++call) {
    const auto* first = reinterpret_cast<const float*>(output(call).address);
    EXPECT_TRUE(std::all_of(first, first + k_count, [](float each) { return each != each; }));
  }
}

TEST_F(StagedRowTest, RowsOfCallsThatWriteToTheirInputsHaveNoSlotsOfTheirOwn) {
  context_.may_mutate_inputs = true;
  EXPECT_EQ(CallSlots(context_, Rng(3)).row_slots(), 0);
}

TEST_F(StagedRowTest, EachCallHasAKeyOfItsOwnAndEachRowOthers) {
  std::set<std::uint32_t> firsts;
  for (int row = 0; row < 2; ++row) {
    for (std::size_t call = 0; call < k_calls; ++call) firsts.insert(row_.key(call).words[7]);
    CallRequest again;
    ASSERT_TRUE(row_.lay_out(places_, again).has_value());
  }
  EXPECT_EQ(firsts.size(), 2 * k_calls);
}

TEST_F(StagedRowTest, RowsOfSmallCallsHaveAsManySlotsAsCalls) {
  EXPECT_EQ(row_slots_of(context_), plan_.row_calls_max + plan_.row_calls_around());
}

TEST_F(StagedRowTest, RowsOfManyOutputsHaveNoSlotsOfTheirOwn) {
  facts_.outputs.assign(20, {"float32", {k_many}, {1}, 4 * k_many});
  EXPECT_EQ(row_slots_of(context_), 0);
}

TEST_F(StagedRowTest, RowsOfLargeOutputsHaveFewSlotsOrNone) {
  const std::int64_t room = device_.traits().staged_slots_bytes_max;
  layout_.output_stride = room / 8 - layout_.input_stride;
  EXPECT_EQ(row_slots_of(context_), 8);
  const int fewest = plan_.row_calls_around() + 1;
  layout_.output_stride = room / fewest - layout_.input_stride + 1;
  EXPECT_EQ(row_slots_of(context_), 0);
}

// RFC 8439, 2.3.2: 20 rounds, block 1, nonce 00:00:00:09:00:00:00:4a:00:00:00:00.
TEST(CipherReferenceTest, IsChaCha) {
  CupelCipherKey key{};
  for (std::uint32_t i = 0; i < 8; ++i) key.words[i] = 0x03020100 + i * 0x04040404;
  CipherBlock state = cipher_state(key, 1);
  state[13] = 0x09000000, state[14] = 0x4a000000;
  const CipherBlock block = chacha_block(state, 10);
  EXPECT_EQ(block[0], 0xe4e7f110);
  EXPECT_EQ(block[15], 0x4e3c50a2);
}

}  // namespace
}  // namespace cupel::measure
