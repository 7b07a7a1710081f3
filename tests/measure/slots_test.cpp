#include "measure/device/slots.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "measure/device/arena.h"

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
  const auto layout = vault_layout(
      facts, programs,
      {*rc::gen::inRange(2, 200), *rc::gen::inRange(0, 200),
       *rc::gen::inRange<std::int64_t>(1, 1 << 24), *rc::gen::inRange<std::int64_t>(1, 1 << 20)});
  RC_ASSERT(layout.sets >= 3);
  RC_ASSERT(layout.input_at(0) >= 2 * facts.weight_bytes);
  RC_ASSERT(layout.spares > 0);
  RC_ASSERT(layout.input_at(layout.sets + layout.spares) == layout.output_at(0, 0));
  RC_ASSERT(layout.output_at(layout.sets, 0) == layout.output_at(layout.sets - 1, 0));
  RC_ASSERT(layout.output_at(layout.sets - 1, programs - 1) + layout.output_stride == layout.bytes);
  RC_ASSERT(layout.output_at(1, 0) == layout.output_at(0, programs));
}

TEST(VaultLayoutTest, HoldsFewLargeInputs) {
  TaskFacts facts;
  facts.inputs = facts.outputs = {floats(1 << 20)};
  const auto layout = [&facts](std::int64_t bytes_max) {
    return vault_layout(facts, 2, {64, 40, 1 << 20, bytes_max});
  };
  constexpr std::int64_t k_tensor_bytes = 4 << 20;
  EXPECT_EQ(layout(1 << 30).bytes, (4 + 5 + 4 * 2) * k_tensor_bytes);
  EXPECT_EQ(layout((4 + 5 + 4 * 2) * k_tensor_bytes).sets, 4) << "just fits";
  EXPECT_EQ(layout((4 + 5 + 4 * 2) * k_tensor_bytes - 1).bytes, (3 + 2 + 3 * 2) * k_tensor_bytes);
  EXPECT_EQ(layout(1).spares, 2) << "a round can do with no fewer";
  facts.weight_bytes = 1LL << 40;
  EXPECT_EQ(layout(1 << 30).sets, 4) << "weights make no inputs large";
}

TEST(ProgramBytesTest, AreSlotsWeightsAndWhatACallMakes) {
  TaskFacts facts;
  facts.weight_bytes = 10;
  facts.input_bytes = 100;
  facts.output_bytes = 1000;
  facts.peak_bytes = 10 + 100 + 3000;
  EXPECT_EQ(program_bytes(facts) - k_process_bytes, 4 * 10 + 100 + 1000 + 3000 * 5 / 4);
}

TEST(PoisonTest, FillsFloatsWithNanAndIntegersWithTheByte) {
  const std::vector<TensorSpec> leaves{floats(3), {"int64", {2}, {1}, 16}};
  const auto fills = poison(leaves, slot_layout(leaves), 0x5A);
  ASSERT_EQ(fills.size(), 2u);
  EXPECT_EQ(fills[0].word, 0xFFFD);
  EXPECT_EQ(fills[0].bytes, 12);
  EXPECT_EQ(fills[1].word, 0x5A5A);
  EXPECT_EQ(fills[1].offset, 64);
}

RC_GTEST_PROP(ArenaLayoutTest, SlotsKeepTheirRedZonesWhateverTheShift, ()) {
  const ArenaLayout layout{64 * *rc::gen::inRange<std::int64_t>(1, 1000),
                           64 * *rc::gen::inRange<std::int64_t>(1, 100)};
  const int slot = *rc::gen::inRange(0, 9);
  const std::int64_t shift = *rc::gen::inRange<std::int64_t>(0, layout.shift_room_bytes);
  const std::int64_t at = layout.slot_at(slot, shift);
  RC_ASSERT(at - layout.room_at(slot) >= k_red_zone_bytes);
  RC_ASSERT(layout.room_at(slot + 1) - (at + layout.slot_bytes) >= k_red_zone_bytes);
}

RC_GTEST_PROP(DigestTest, NoticesOneChangedByte, (std::vector<std::uint8_t> bytes)) {
  RC_PRE(!bytes.empty());
  const auto view = std::as_bytes(std::span(bytes));
  const auto before = digest(view, 42);
  RC_ASSERT(digest(view, 42) == before);
  bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] ^= 1;
  RC_ASSERT(digest(std::as_bytes(std::span(bytes)), 42) != before);
}

TEST(StripesTest, AreAllOfWhatIsSmall) {
  for (const std::int64_t bytes : {0LL, 1LL, 400LL, 2LL << 20}) {
    const Stripes stripes = stripes_of(bytes, 7);
    EXPECT_EQ(stripes.start, 0);
    EXPECT_EQ(stripes.total(), bytes);
    EXPECT_EQ(striped_bytes_max(bytes), bytes);
  }
}

// Whoever leaves out a stretch that is longer than their distance is found out.
TEST(StripesTest, LeaveNoLongStretchOut) {
  for (const std::int64_t bytes :
       {(2LL << 20) + 1, 2'359'295LL, 3LL << 20, 257'000'001LL, 5LL << 30}) {
    for (std::uint64_t key = 0; key < 200; ++key) {
      const Stripes stripes = stripes_of(bytes, key);
      const std::int64_t end = stripes.start + (stripes.count - 1) * stripes.pitch + stripes.bytes;
      EXPECT_LE(stripes.total(), striped_bytes_max(bytes));
      EXPECT_GE(stripes.pitch, stripes.bytes);
      EXPECT_GE(stripes.start, 0);
      EXPECT_LT(stripes.start, stripes.pitch);
      EXPECT_LE(end, bytes);
      EXPECT_LT(bytes - end, stripes.pitch);
    }
  }
}

// Nobody knows a place that is not looked at.
TEST(StripesTest, MeetEachPlaceForSomeKey) {
  constexpr std::int64_t k_bytes = 10 << 20, k_place = 4096;
  const std::int64_t last = k_bytes / k_place - 1;
  for (const std::int64_t place : {std::int64_t{0}, last / 3, last - 1, last}) {
    int met = 0;
    for (std::uint64_t key = 0; key < 1000; ++key) {
      const Stripes stripes = stripes_of(k_bytes, key);
      for (std::int64_t i = 0; i < stripes.count; ++i) {
        const std::int64_t at = stripes.start + i * stripes.pitch;
        met += at < (place + 1) * k_place && at + stripes.bytes > place * k_place;
      }
    }
    EXPECT_GE(met, 50) << "place " << place;
  }
}

TEST(SliceDeathTest, AbortsOutsideItsBounds) {
  const Slice slice{4096, 64};
  EXPECT_EQ(slice.part(64, 0).address, 4160u);
  EXPECT_DEATH(slice.part(1, 64), "broken invariant");
}

}  // namespace
}  // namespace cupel::measure
