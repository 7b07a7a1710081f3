// What a simulated call costs and how long things take.
#pragma once

#include <cstdint>

#include "base/rng.h"
#include "model/exchange.h"

namespace cupel::simulate {

// Tokens of a typical call; prices in dollars per million tokens; times in seconds.
struct CallParameters {
  // Fitted: 300 charged calls of the strong model come to about 25 dollars (published).
  double prompt_tokens = 9000;
  double reply_tokens = 6600;  // median, thinking included
  double reply_sigma = 0.4;    // assumed: spread of the logarithm
  double reply_tokens_max = 16384;
  double strong_prompt_price = 1.25;  // list prices of the published runs' models
  double strong_reply_price = 10;
  double cheap_prompt_price = 0.30;
  double cheap_reply_price = 2.50;
  double strong_tokens_per_s = 100;  // assumed
  double cheap_tokens_per_s = 200;   // assumed
  double build_s = 20;               // assumed
  double judge_s = 4;                // assumed; one at a time
};

struct Call {
  std::int64_t nano_usd = 0;
  double seconds = 0;
};

// The most that a call can cost: what is reserved before it is sent.
std::int64_t nano_usd_max(const CallParameters& parameters, Tier tier);

Call draw_call(const CallParameters& parameters, Tier tier, Rng& rng);

}  // namespace cupel::simulate
