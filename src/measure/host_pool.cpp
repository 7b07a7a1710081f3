#include "measure/host_pool.h"

namespace cupel::measure {

Status HostPool::refill() {
  while (static_cast<int>(hosts_.size()) < stock_) {
    CUPEL_TRY(auto host, Host::start(settings_));
    hosts_.push_back(std::move(host));
  }
  return {};
}

Result<std::unique_ptr<Host>> HostPool::take(double seconds_max) {
  if (hosts_.empty()) {
    CUPEL_TRY(auto host, Host::start(settings_));
    hosts_.push_back(std::move(host));
  }
  std::unique_ptr<Host> host = std::move(hosts_.front());
  hosts_.pop_front();
  CUPEL_TRY_STATUS(host->wait_ready(seconds_max));
  return host;
}

void HostPool::freeze() {
  for (auto& host : hosts_) host->freeze();
}

void HostPool::thaw() {
  for (auto& host : hosts_) host->thaw();
}

}  // namespace cupel::measure
