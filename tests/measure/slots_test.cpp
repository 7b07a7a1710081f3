#include "measure/slots.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <unistd.h>

#include <cmath>
#include <cstring>

#include "measure/arena.h"

namespace cupel::measure {
namespace {

TensorSpec floats(std::int64_t count) {
  return {"float32", {count}, {1}, 4 * count};
}

TEST(SlotLayoutTest, AlignsEveryLeaf) {
  const SlotLayout layout = slot_layout({floats(1), floats(17), floats(16)});
  EXPECT_EQ(layout.offsets, (std::vector<std::int64_t>{0, 64, 192}));
  EXPECT_EQ(layout.bytes, 256);
}

TEST(SlotLayoutTest, AnEmptySlotStillHasAnAddress) {
  EXPECT_EQ(slot_layout({}).bytes, k_alignment_bytes);
}

RC_GTEST_PROP(VaultLayoutTest, RegionsNeverOverlap, ()) {
  TaskFacts facts;
  facts.inputs = {floats(*rc::gen::inRange<std::int64_t>(1, 5000))};
  facts.outputs = {floats(*rc::gen::inRange<std::int64_t>(1, 5000))};
  facts.weight_bytes = *rc::gen::inRange<std::int64_t>(0, 100000);
  const int programs = *rc::gen::inRange(2, 9);
  const auto layout = vault_layout(facts, programs, *rc::gen::inRange(2, 200),
                                   *rc::gen::inRange<std::int64_t>(1, 1 << 24));
  RC_ASSERT(layout.sets >= 4 && layout.sets % 2 == 0);
  RC_ASSERT(layout.input_at(0) >= 2 * facts.weight_bytes);
  RC_ASSERT(layout.input_at(layout.sets) == layout.output_at(0, 0));
  RC_ASSERT(layout.output_at(layout.sets - 1, programs - 1) + layout.output_stride == layout.bytes);
  RC_ASSERT(layout.output_at(1, 0) == layout.output_at(0, programs));
}

TEST(PoisonTest, FillsFloatsWithNanAndIntegersWithTheByte) {
  const std::vector<TensorSpec> leaves{floats(3), {"int64", {2}, {1}, 16}};
  const SlotLayout layout = slot_layout(leaves);
  std::vector<std::byte> slot(static_cast<std::size_t>(layout.bytes));
  poison(slot, leaves, layout, 0x5A);
  float value = 0;
  std::memcpy(&value, slot.data() + 8, sizeof value);
  EXPECT_TRUE(std::isnan(value));
  EXPECT_EQ(slot[64], std::byte{0x5A});
  EXPECT_EQ(slot[79], std::byte{0x5A});
  EXPECT_EQ(slot[12], std::byte{0});
}

RC_GTEST_PROP(DigestTest, NoticesOneChangedByte, (std::vector<std::uint8_t> bytes)) {
  RC_PRE(!bytes.empty());
  const auto view = std::as_bytes(std::span(bytes));
  const auto before = digest(view, 42);
  RC_ASSERT(digest(view, 42) == before);
  bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] ^= 1;
  RC_ASSERT(digest(std::as_bytes(std::span(bytes)), 42) != before);
}

TEST(ArenaTest, CannotBeResizedByItsOtherOwner) {
  auto arena = Arena::create("test", 10000);
  ASSERT_TRUE(arena.has_value());
  EXPECT_NE(::ftruncate(arena->fd(), 0), 0);
  EXPECT_NE(::ftruncate(arena->fd(), 1 << 20), 0);
  arena->at(0, 10000)[9999] = std::byte{1};
}

TEST(ArenaDeathTest, AbortsOutsideItsBounds) {
  auto arena = Arena::create("test", 64);
  ASSERT_TRUE(arena.has_value());
  EXPECT_DEATH(arena->at(1, 64), "broken invariant");
}

}  // namespace
}  // namespace cupel::measure
