// Warm hosts kept in stock, so that nobody waits for `import torch`.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "measure/fork_server.h"
#include "measure/host.h"

namespace cupel::measure {

// Not thread-safe. Hosts in stock are warming or warm, and frozen while something is timed.
class HostPool {
 public:
  HostPool(const HostSettings& settings, int stock) : settings_(settings), stock_(stock) {}

  // Starts what hosts are forked from; returns at once.
  Status start();
  // Starts hosts until the stock is full. Waits for start()'s process the first time.
  Status refill();
  // The oldest host, once it is ready. Waits at most `seconds_max`.
  Result<std::unique_ptr<Host>> take(double seconds_max);
  void freeze();
  void thaw();

 private:
  bool forks();
  Result<std::unique_ptr<Host>> fresh();

  const HostSettings& settings_;
  int stock_;
  std::optional<ForkServer> server_;
  std::deque<std::unique_ptr<Host>> hosts_;
};

}  // namespace cupel::measure
