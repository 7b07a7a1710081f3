#include "measure/device/device.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cipher_reference.h"
#include "cuda/device.h"

namespace cupel::measure {
namespace {

constexpr std::int64_t k_bytes = 10000;

// The CPU always, the GPU where there is one.
class DeviceTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "cuda" && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
    auto opened = open_device(GetParam());
    ASSERT_TRUE(opened.has_value()) << opened.error().describe();
    device_ = *opened;
    auto arena = device_->create_arena("test", 4 * k_bytes);
    ASSERT_TRUE(arena.has_value()) << arena.error().describe();
    arena_ = std::move(*arena);
  }

  Slice slot(int index) const { return arena_.at(index * 16000, 8000); }
  void fill(Slice target, std::uint8_t byte) {
    ASSERT_TRUE(device_->fill(target, byte).has_value());
    ASSERT_TRUE(device_->finish().has_value());
  }

  std::shared_ptr<Device> device_;
  Arena arena_;
};

INSTANTIATE_TEST_SUITE_P(Devices, DeviceTest, testing::Values("cpu", "cuda"));

TEST_P(DeviceTest, AnArenaHasADescriptorAndRoom) {
  EXPECT_GE(arena_.fd(), 0);
  EXPECT_GE(arena_.bytes(), 4 * k_bytes);
}

TEST_P(DeviceTest, CopiesAndComparesWhatItFilled) {
  fill(slot(0), 7);
  fill(slot(1), 8);
  EXPECT_FALSE(*device_->same(slot(0), slot(1)));
  ASSERT_TRUE(device_->copy(slot(1), slot(0)).has_value());
  EXPECT_TRUE(*device_->same(slot(0), slot(1)));
}

TEST_P(DeviceTest, StripesFollowEachOther) {
  const Stripes stripes{512, 1536, 512, 4};
  fill(slot(0), 1);
  for (std::int64_t i = 0; i < stripes.count; ++i) {
    fill(slot(0).part(stripes.start + i * stripes.pitch, stripes.bytes),
         static_cast<std::uint8_t>(10 + i));
  }
  const bool stages = device_->traits().staged_slots_bytes_max > 0;
  const auto to = stages ? device_->staging(stripes.total()) : slot(1).part(0, stripes.total());
  ASSERT_TRUE(to.has_value()) << to.error().describe();
  ASSERT_TRUE(device_->copy_stripes(*to, slot(0), stripes).has_value());
  ASSERT_TRUE(device_->finish().has_value());
  const auto bytes = host_bytes(to->part(0, stripes.total()));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    ASSERT_EQ(std::to_integer<std::size_t>(bytes[at]), 10 + at / 512) << at;
  }
}

// Sizes at which one core copies, at which each has a part, and at which parts are of unequal size.
TEST_P(DeviceTest, WhatIsRevealedIsWholeWhereverItsTensorsBegin) {
  for (const std::int64_t bytes : {0LL, 1LL, 8000LL, (128LL << 10) + 1, (1LL << 20) + 17}) {
    auto arena = device_->create_arena("revealed", 2 * align_up(std::max<std::int64_t>(bytes, 1)));
    ASSERT_TRUE(arena.has_value()) << arena.error().describe();
    const Slice all_from = arena->at(0, align_up(bytes)), from = all_from.part(0, bytes);
    const Slice all_to = arena->at(arena->bytes() / 2, align_up(bytes)), to = all_to.part(0, bytes);
    for (const std::int64_t turn : {1, 2}) {  // threads that wait for another one
      fill(all_from, 3 + turn);
      fill(all_to, 3 + turn);  // what lies beyond stays as it is
      fill(to, 1);
      const std::vector<std::int64_t> starts{0, bytes / 3, bytes / 3, bytes - bytes / 5};
      ASSERT_TRUE(device_->reveal(to, from, starts).has_value());
      ASSERT_TRUE(device_->finish().has_value());
      EXPECT_TRUE(*device_->same(all_to, all_from)) << bytes;
    }
  }
}

TEST_P(DeviceTest, WhatIsEncipheredOpensWithItsKey) {
  if (device_->traits().staged_slots_bytes_max == 0) GTEST_SKIP() << "it enciphers nothing";
  const CupelCipherKey key{{1, 2, 3, 4, 5, 6, 7, 0x80000000}};
  // A part of a vector's tile, a whole one, and more than one.
  for (const std::int64_t bytes : {16LL, 4096LL, 16384LL, 16384LL + 4096 + 48, 1LL << 20}) {
    auto arena = device_->create_arena("sealed", 2 * align_up(bytes));
    ASSERT_TRUE(arena.has_value()) << arena.error().describe();
    const Slice plain = arena->at(0, bytes), sealed = arena->at(arena->bytes() / 2, bytes);
    fill(plain, 77);
    ASSERT_TRUE(device_->encipher(sealed, plain, key).has_value());
    const auto seen = device_->staging(bytes);
    ASSERT_TRUE(seen.has_value()) << seen.error().describe();
    ASSERT_TRUE(device_->copy(*seen, sealed).has_value());
    ASSERT_TRUE(device_->finish().has_value());
    std::vector<std::byte> wanted(static_cast<std::size_t>(bytes), std::byte{77});
    cipher_by_reference(wanted, key);
    EXPECT_EQ(std::memcmp(host_bytes(*seen).data(), wanted.data(), wanted.size()), 0) << bytes;
    ASSERT_TRUE(device_->encipher(sealed, sealed, key).has_value());
    EXPECT_TRUE(*device_->same(sealed, plain)) << bytes;
  }
}

TEST_P(DeviceTest, OneByteIsADifference) {
  fill(slot(0), 7);
  EXPECT_TRUE(*device_->filled(slot(0), 7));
  EXPECT_FALSE(*device_->filled(slot(0), 6));
  fill(slot(0).part(7999, 1), 6);
  EXPECT_FALSE(*device_->filled(slot(0), 7));
}

TEST_P(DeviceTest, NothingIsFilledWithAnything) {
  EXPECT_TRUE(*device_->filled(slot(0).part(0, 0), 1));
  EXPECT_TRUE(*device_->same(slot(0).part(0, 0), slot(1).part(0, 0)));
}

TEST_P(DeviceTest, ASnapshotTellsAnOutputThatChangedAfterTheReply) {
  fill(slot(0), 1);
  const auto begun = device_->begin_snapshot(slot(1), slot(0), 42);
  ASSERT_TRUE(begun.has_value());
  EXPECT_TRUE(*device_->end_snapshot(slot(1), slot(0), 42, *begun));
  EXPECT_TRUE(*device_->filled(slot(1), 1));
  const auto again = device_->begin_snapshot(slot(1), slot(0), 43);
  fill(slot(0), 2);
  EXPECT_FALSE(*device_->end_snapshot(slot(1), slot(0), 43, *again));
}

TEST_P(DeviceTest, AnIdleDeviceIsQuiet) {
  EXPECT_TRUE(*device_->becomes_quiet(slot(0).part(0, 64), 10));
}

TEST_P(DeviceTest, BandwidthHasACeiling) {
  EXPECT_GT(device_->bandwidth_ceiling(1), 1e8);
}

TEST(CpuDeviceTest, AnArenaCannotBeResizedByItsOtherOwner) {
  auto arena = open_cpu()->create_arena("test", k_bytes);
  ASSERT_TRUE(arena.has_value());
  EXPECT_NE(::ftruncate(arena->fd(), 0), 0);
  EXPECT_NE(::ftruncate(arena->fd(), 1 << 20), 0);
  host_bytes(arena->at(0, k_bytes))[k_bytes - 1] = std::byte{1};
}

TEST(OpenDeviceTest, AnUnknownNameIsTheUsersError) {
  for (const char* name : {"tpu", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", ""}) {
    const auto opened = open_device(name);
    ASSERT_FALSE(opened.has_value()) << name;
    EXPECT_EQ(opened.error().tag, ErrorTag::input) << name;
  }
}

TEST(OpenDeviceTest, AMissingGpuIsTheMachines) {
  const auto opened = open_device("cuda:99");
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().tag, ErrorTag::environment);
}

}  // namespace
}  // namespace cupel::measure
