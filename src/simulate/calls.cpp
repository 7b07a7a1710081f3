#include "simulate/calls.h"

#include <algorithm>
#include <cmath>

#include "simulate/draws.h"

namespace cupel::simulate {
namespace {

constexpr double k_nano_usd_per_token = 1e3;  // at a price of one dollar per million tokens

std::int64_t price(const CallParameters& parameters, Tier tier, double reply_tokens) {
  const bool strong = tier == Tier::strong;
  const double prompt = strong ? parameters.strong_prompt_price : parameters.cheap_prompt_price;
  const double reply = strong ? parameters.strong_reply_price : parameters.cheap_reply_price;
  return std::llround((parameters.prompt_tokens * prompt + reply_tokens * reply) *
                      k_nano_usd_per_token);
}

}  // namespace

std::int64_t nano_usd_max(const CallParameters& parameters, Tier tier) {
  return price(parameters, tier, parameters.reply_tokens_max);
}

Call draw_call(const CallParameters& parameters, Tier tier, Rng& rng) {
  const double drawn = parameters.reply_tokens * std::exp(parameters.reply_sigma * normal(rng));
  const double tokens = std::min(drawn, parameters.reply_tokens_max);
  const double speed =
      tier == Tier::strong ? parameters.strong_tokens_per_s : parameters.cheap_tokens_per_s;
  return {price(parameters, tier, tokens), tokens / speed};
}

}  // namespace cupel::simulate
