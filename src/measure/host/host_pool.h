// Warm hosts kept in stock, so that nobody waits for `import torch`.
#pragma once

#include <deque>
#include <memory>

#include "measure/host/fork_server.h"
#include "measure/host/host.h"

namespace cupel::measure {

// For one host to import torch and to warm up.
inline constexpr double k_host_ready_seconds_max = 120;

// Not thread-safe. Hosts in stock are warming or warm, and frozen while something is timed.
class HostPool {
 public:
  HostPool(const HostSettings& settings, int stock) : settings_(settings), stock_(stock) {}

  // Starts what hosts are forked from; returns at once.
  Status start();
  // Waits until hosts can be forked, or it is clear that they cannot.
  void await_server();
  // Hosts forked from now on have imported what torch.compile needs. Those in stock are given up:
  // the hosts of a round are equals. To be called once.
  void expect_compilers();
  // Starts hosts until there are `count`, or a full stock. Waits as await_server().
  Status refill(int count = 0);
  // Waits until the hosts in stock are warm, or one cannot be: take() says what is wrong with that.
  void await_ready(double seconds_max);
  // The oldest host, once it is ready. Waits at most `seconds_max`.
  Result<std::unique_ptr<Host>> take(double seconds_max);
  // One under a memory checker's command, which takes seconds to start. An Error names what it
  // said.
  Result<std::unique_ptr<Host>> take_checked(double seconds_max,
                                             const std::vector<std::string>& checker);
  // One in surroundings like a user's, as `seed` draws them.
  Result<std::unique_ptr<Host>> take_as_users(double seconds_max, std::uint64_t seed);
  void freeze();
  void thaw();

 private:
  bool forks();
  Result<std::unique_ptr<Host>> fresh();
  Result<std::unique_ptr<Host>> special(HostSettings settings, double seconds_max);

  const HostSettings& settings_;
  std::deque<HostSettings> special_settings_;  // of hosts that are none of the stock
  int stock_;
  LentForkServer server_{nullptr, nullptr};  // none: hosts are not forked
  std::deque<std::unique_ptr<Host>> hosts_;
};

}  // namespace cupel::measure
