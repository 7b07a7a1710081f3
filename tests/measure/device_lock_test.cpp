#include "measure/device/device_lock.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <string>
#include <thread>

namespace cupel::measure {
namespace {

// Two processes' places at one device.
class DeviceLockTest : public testing::Test {
 protected:
  void SetUp() override {
    id_ = "test-" + std::to_string(::getpid());
    one_ = open();
    other_ = open();
  }

  void TearDown() override {
    for (const char* end : {".gate", ".work"}) std::filesystem::remove("/tmp/cupel-" + id_ + end);
  }

  std::shared_ptr<DeviceLock> open() const {
    auto lock = DeviceLock::open(id_);
    EXPECT_TRUE(lock.has_value()) << lock.error().describe();
    return *lock;
  }

  static void await_wanted(const DeviceLock& lock) {
    while (!lock.wanted()) std::this_thread::yield();
  }

  std::string id_;
  std::shared_ptr<DeviceLock> one_;
  std::shared_ptr<DeviceLock> other_;
};

TEST_F(DeviceLockTest, SeveralPrepareTogether) {
  ASSERT_TRUE(one_->share().has_value());
  ASSERT_TRUE(other_->share().has_value());
  EXPECT_FALSE(one_->wanted());
}

TEST_F(DeviceLockTest, WhoTimesWaitsUntilTheOthersHaveLeft) {
  ASSERT_TRUE(one_->share().has_value());
  std::atomic<bool> left{false};
  std::thread holder([&] {
    ASSERT_TRUE(other_->hold().has_value());
    EXPECT_TRUE(left);
    other_->leave();
  });
  await_wanted(*one_);
  left = true;
  one_->leave();
  holder.join();
  EXPECT_FALSE(one_->wanted());
}

TEST_F(DeviceLockTest, NobodyComesInWhileSomebodyTimes) {
  ASSERT_TRUE(one_->hold().has_value());
  EXPECT_TRUE(other_->wanted());
  std::atomic<bool> left{false};
  std::thread sharer([&] {
    ASSERT_TRUE(other_->share().has_value());
    EXPECT_TRUE(left);
  });
  left = true;
  one_->leave();
  sharer.join();
}

TEST_F(DeviceLockTest, SharingGivesWayAndGoesOn) {
  std::atomic<bool> paused{false};
  std::promise<void> resumed;
  auto sharing = Sharing::start(*one_, {[&] { paused = true; },
                                        [&] {
                                          paused = false;
                                          resumed.set_value();
                                        }});
  ASSERT_TRUE(sharing.has_value());
  {
    const auto alone = Alone::wait(*other_);
    ASSERT_TRUE(alone.has_value());
    EXPECT_TRUE(paused);
    EXPECT_FALSE((*sharing)->gate().try_lock());
  }
  resumed.get_future().wait();
  EXPECT_FALSE(paused);
}

TEST_F(DeviceLockTest, ADeviceOfOurOwnIsNeverWaitedFor) {
  const auto own = DeviceLock::open("");
  ASSERT_TRUE(own.has_value());
  EXPECT_FALSE((*own)->exists());
  ASSERT_TRUE((*own)->hold().has_value());
  EXPECT_FALSE((*own)->wanted());
}

}  // namespace
}  // namespace cupel::measure
