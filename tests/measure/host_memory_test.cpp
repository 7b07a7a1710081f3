#include "measure/host/host_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace cupel::measure {
namespace {

constexpr std::uint64_t k_key = 7;

// A child that waits, with this process's memory as it was at the fork.
class HostMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = static_cast<std::byte>(i * 31);
    child_ = ::fork();
    if (child_ == 0) {
      for (;;) ::pause();
    }
  }
  void TearDown() override {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(data_.data()); }

  std::vector<std::byte> data_ = std::vector<std::byte>(100'000);
  pid_t child_ = -1;
};

TEST_F(HostMemoryTest, ReadsWhatIsThere) {
  const HostMemory memory(child_);
  if (!memory.readable()) GTEST_SKIP() << "this machine lets no process read another's memory";
  std::vector<std::byte> copy(data_.size());
  ASSERT_TRUE(memory.read(address(), copy));
  EXPECT_EQ(copy, data_);
}

TEST_F(HostMemoryTest, SaysWhereNothingIs) {
  std::vector<std::byte> copy(64);
  EXPECT_FALSE(HostMemory(child_).read(64, copy));
  const std::vector<std::uintptr_t> addresses{address(), 64};
  const std::vector<std::int64_t> bytes{640, 640};
  EXPECT_TRUE(HostMemory(child_).sample(addresses, bytes, k_key).empty());
}

TEST_F(HostMemoryTest, ASampleIsThatOfACopy) {
  const HostMemory memory(child_);
  if (!memory.readable()) GTEST_SKIP() << "this machine lets no process read another's memory";
  const std::vector<std::int64_t> sizes{0, 1, 100, 2048, 99'999};
  for (const std::size_t times :
       {1UL, 30UL}) {  // of more lines than one call of the kernel's reads
    std::vector<std::uintptr_t> addresses;
    std::vector<std::int64_t> bytes;
    std::vector<std::span<const std::byte>> copies;
    for (std::size_t i = 0; i < times; ++i) {
      for (const std::int64_t size : sizes) {
        addresses.push_back(address());
        bytes.push_back(size);
        copies.push_back(std::span(data_).first(static_cast<std::size_t>(size)));
      }
    }
    const auto sample = memory.sample(addresses, bytes, k_key);
    EXPECT_FALSE(sample.empty());
    EXPECT_EQ(sample, sample_of(copies, k_key)) << times;
  }
}

TEST_F(HostMemoryTest, ASampleTellsThatMuchOfABlockIsAnother) {
  auto other = data_;
  std::memset(other.data(), 0, other.size() / 2);
  const std::vector<std::span<const std::byte>> one{data_, data_}, two{data_, other};
  EXPECT_NE(sample_of(one, k_key), sample_of(two, k_key));
}

TEST(SampledLines, LieWithinEachBlockAndMove) {
  const std::vector<std::int64_t> bytes{1 << 20, 1 << 19};
  const auto lines = sampled_lines(bytes, k_key);
  ASSERT_EQ(lines.size(), 64U);
  for (const SampledLine& line : lines) EXPECT_LE(line.offset + 64, bytes[line.block]);
  const auto others = sampled_lines(bytes, k_key + 1);
  EXPECT_FALSE(std::ranges::equal(lines, others, {}, &SampledLine::offset, &SampledLine::offset));
}

TEST(SampledLines, OfBlocksComeInOneOrder) {
  const std::vector<std::int64_t> bytes(8, 1 << 20);
  const auto lines = sampled_lines(bytes, k_key);
  std::set<std::size_t> first;
  for (std::size_t i = 0; i < 32; ++i) first.insert(lines[i].block);
  EXPECT_GT(first.size(), 4U);
}

TEST(SampledLines, OfFewAreAllInAnyOrder) {
  const std::vector<std::int64_t> bytes{1990};
  auto lines = sampled_lines(bytes, k_key);
  EXPECT_FALSE(std::ranges::equal(lines, sampled_lines(bytes, k_key + 1), {}, &SampledLine::offset,
                                  &SampledLine::offset));
  std::ranges::sort(lines, {}, &SampledLine::offset);
  ASSERT_EQ(lines.size(), 32U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].offset, 64 * static_cast<std::int64_t>(i));
    EXPECT_EQ(lines[i].bytes, i == 31 ? 6U : 64U);
  }
}

}  // namespace
}  // namespace cupel::measure
