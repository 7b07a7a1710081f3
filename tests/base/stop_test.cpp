#include "base/stop.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace cupel {
namespace {

TEST(StopFlag, IsRaisedOnce) {
  StopFlag flag;
  EXPECT_FALSE(flag.raised());
  flag.raise();
  EXPECT_TRUE(flag.raised());
}

TEST(StopOnSignals, TheFirstSignalRaisesTheFlagTheSecondKills) {
  EXPECT_EXIT(
      {
        const StopFlag& flag = stop_on_signals();
        const bool before = flag.raised();
        std::raise(SIGTERM);
        std::_Exit(!before && flag.raised() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        stop_on_signals();
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace cupel
