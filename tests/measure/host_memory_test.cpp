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
  EXPECT_TRUE(HostMemory(child_).sample(64, 640, k_key).empty());
}

TEST_F(HostMemoryTest, ASampleIsThatOfACopy) {
  const HostMemory memory(child_);
  if (!memory.readable()) GTEST_SKIP() << "this machine lets no process read another's memory";
  for (const std::size_t bytes : {0UL, 1UL, 100UL, 2048UL, 99'999UL}) {
    const auto sample = memory.sample(address(), static_cast<std::int64_t>(bytes), k_key);
    EXPECT_EQ(sample, sample_of(std::span(data_).first(bytes), k_key)) << bytes;
  }
}

TEST_F(HostMemoryTest, ASampleTellsThatMuchOfTheMemoryIsAnother) {
  auto other = data_;
  std::memset(other.data(), 0, other.size() / 2);
  EXPECT_NE(sample_of(other, k_key), sample_of(data_, k_key));
}

TEST(SampledLines, LieWithinTheMemoryAndMove) {
  const auto lines = sampled_lines(1 << 20, k_key);
  EXPECT_EQ(lines.size(), 32U);
  for (const auto offset : lines) EXPECT_LT(offset, 1 << 20);
  EXPECT_NE(lines, sampled_lines(1 << 20, k_key + 1));
}

TEST(SampledLines, OfFewAreAllInAnyOrder) {
  auto lines = sampled_lines(2000, k_key);
  EXPECT_NE(lines, sampled_lines(2000, k_key + 1));
  std::sort(lines.begin(), lines.end());
  ASSERT_EQ(lines.size(), 32U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i], 64 * static_cast<std::int64_t>(i));
  }
}

}  // namespace
}  // namespace cupel::measure
