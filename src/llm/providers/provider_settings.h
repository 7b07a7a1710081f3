// What a user may set about providers, and what tests replace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "llm/wire/http.h"
#include "llm/wire/sleeper.h"
#include "model/price.h"

namespace cupel::llm {

struct ProviderSettings {
  std::string base_url;             // instead of a service's own: a gateway, a test's server
  std::vector<Price> known_prices;  // a run's own, before all others
  std::vector<std::string> prices;  // "MODEL=INPUT,CACHED,OUTPUT" or "MODEL=free": before any file
  std::vector<std::filesystem::path> price_files;  // the first that knows a model counts; empty:
                                                   // the user's, then the shipped one
  bool needs_key = true;  // false for who asks nothing, and wants to know what it would cost
  int concurrency_max = 8;
  int requests_per_minute_max = 0;  // 0: no limit
  HttpLimits limits;
  int attempts_max = 6;           // requests a question
  double patience_s = 300;        // with a service that does nothing but turn questions away
  double mailbox_wait_s = 3600;   // for a reply
  std::uint64_t jitter_seed = 1;  // of pauses before retries
  const Clock* clock = nullptr;   // nullptr: the system's; else it must outlive the provider
  Sleeper* sleeper = nullptr;
  std::function<std::string(const std::string& name)> environment;  // empty: getenv's
};

}  // namespace cupel::llm
