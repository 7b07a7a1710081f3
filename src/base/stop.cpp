#include "base/stop.h"

#include <csignal>

#include "base/result.h"

namespace cupel {
namespace {

StopFlag process_flag;

void raise_flag(int) {
  process_flag.raise();
}

}  // namespace

const StopFlag& process_stop_flag() {
  return process_flag;
}

const StopFlag& stop_on_signals() {
  struct sigaction action = {};
  action.sa_handler = &raise_flag;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  CUPEL_CHECK(::sigaction(SIGINT, &action, nullptr) == 0);
  CUPEL_CHECK(::sigaction(SIGTERM, &action, nullptr) == 0);
  return process_flag;
}

}  // namespace cupel
