// The door to LLMs. Behind it stand HTTP services, a directory of fixtures, a mailbox, or a
// recorded run: who asks cannot tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/stop.h"
#include "model/exchange.h"
#include "model/price.h"

namespace cupel::llm {

// All functions are thread-safe.
class Provider {
 public:
  virtual ~Provider() = default;

  // "openai:gpt-5", as the user named it.
  virtual std::string name() const = 0;

  // Questions that may wait for an answer at once.
  virtual int concurrency_max() const = 0;

  // Answers to one prompt that it sells for the price of one prompt; 1: it takes one at a time.
  virtual int answers_max() const { return 1; }

  // What its tokens cost; nothing where no token has a price.
  virtual std::optional<Price> price() const { return std::nullopt; }

  // Upper bound of what ask() can cost, all its attempts that may be billed included, in 1e-9
  // dollars: what the ledger reserves. A prompt's tokens are bounded by its bytes. 0 for what costs
  // nothing.
  virtual std::int64_t nano_usd_max(const Prompt& prompt) const = 0;

  // Asks, and waits for the answer: retries, pauses and stalls are its own business. Never costs
  // more than nano_usd_max() said. Returns soon after `stop` is raised, with End::failed.
  virtual Reply ask(const Prompt& prompt, const StopFlag& stop) = 0;
};

}  // namespace cupel::llm
