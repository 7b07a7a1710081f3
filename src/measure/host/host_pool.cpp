#include "measure/host/host_pool.h"

#include <algorithm>

#include "measure/jail/host_jail.h"
#include "measure/jail/users_jail.h"

namespace cupel::measure {

Status HostPool::start() {
  CUPEL_TRY(server_, lend_fork_server({"host", settings_.python.executable,
                                       fork_server_environment(settings_), !settings_.unjailed}));
  return {};
}

// False where this kernel lets nobody enter a jail from outside: then each host imports torch.
bool HostPool::forks() {
  return server_ && server_->wait_ready(k_import_seconds_max);
}

void HostPool::await_server() {
  static_cast<void>(forks());
}

void HostPool::expect_compilers() {
  if (!forks()) return;
  hosts_.clear();
  server_->import_compilers(k_import_seconds_max);
}

Result<std::unique_ptr<Host>> HostPool::fresh() {
  if (!forks()) return Host::start(settings_);
  auto host = Host::fork(settings_, *server_);
  return host || forks() ? std::move(host) : Host::start(settings_);
}

void HostPool::await_ready(double seconds_max) {
  for (auto& host : hosts_) {
    if (!host->wait_ready(seconds_max)) break;
  }
}

Status HostPool::refill(int count) {
  while (static_cast<int>(hosts_.size()) < std::max(count, stock_)) {
    CUPEL_TRY(auto host, fresh());
    hosts_.push_back(std::move(host));
  }
  return {};
}

Result<std::unique_ptr<Host>> HostPool::take(double seconds_max) {
  if (hosts_.empty()) CUPEL_TRY_STATUS(refill(1));
  std::unique_ptr<Host> host = std::move(hosts_.front());
  hosts_.pop_front();
  host->thaw();
  const auto ready = host->wait_ready(seconds_max);
  if (ready) return host;
  if (!forks()) return fail(ready.error());
  server_->give_up();
  server_.reset();
  hosts_.clear();
  return take(seconds_max);
}

Result<std::unique_ptr<Host>> HostPool::take_checked(double seconds_max,
                                                     const std::vector<std::string>& checker) {
  HostSettings settings = settings_;
  settings.checker = checker;
  return special(std::move(settings), seconds_max);
}

Result<std::unique_ptr<Host>> HostPool::take_as_users(double seconds_max, std::uint64_t seed) {
  HostSettings settings = settings_;
  settings.as_users = true;
  settings.surroundings_seed = seed;
  settings.threads = users_threads(settings.threads);
  return special(std::move(settings), seconds_max);
}

// A host refers to its settings, which stay as long as the pool.
Result<std::unique_ptr<Host>> HostPool::special(HostSettings settings, double seconds_max) {
  special_settings_.push_back(std::move(settings));
  CUPEL_TRY(auto host, Host::start(special_settings_.back()));
  CUPEL_TRY_STATUS(host->wait_ready(seconds_max));
  return host;
}

void HostPool::freeze() {
  for (auto& host : hosts_) host->freeze_beside();
}

void HostPool::thaw() {
  for (auto& host : hosts_) host->thaw();
}

}  // namespace cupel::measure
