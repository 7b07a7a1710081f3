// A question to an LLM, and what came back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cupel {

// Which of a run's models is asked. The reader writes nothing (model/reading.h).
enum class Tier { cheap, strong, reader };
std::string_view to_string(Tier tier);
Result<Tier> parse_tier(std::string_view text);

// One question. Addressed by the proposal that it serves; the text is final: every placeholder
// is filled.
struct Prompt {
  std::string proposal_id;  // "p0012"
  std::string agent;        // name of the template in prompts/: "brainstorm", "write", ...
  Tier tier = Tier::strong;
  std::string system;
  std::string user;
  double temperature = 0.8;               // negative: the model's own default
  std::int64_t reply_tokens_max = 16384;  // thinking included; bounds the price of the reply
  int billed_attempts_max = 2;            // requests for it that may be billed
  int answers = 1;                        // that are wanted at once, each of so many tokens
};

// Tokens as the provider counted them. Among the prompt's are those that it remembered (cached),
// and others that it keeps for later questions (written); thought ones are among the reply's.
struct Usage {
  std::int64_t prompt_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t reply_tokens = 0;
  std::int64_t thought_tokens = 0;
  std::int64_t written_tokens = 0;

  void add(const Usage& other);
};

// What came back, failures included: money may be gone either way.
struct Reply {
  enum class End {
    complete,
    truncated,  // the token limit cut it
    refused,    // the model or the provider's filter declined
    failed,     // no usable answer after all attempts; `problem` says why
  };
  End end = End::failed;
  std::string text;                 // what arrived, whole or not
  std::vector<std::string> others;  // further answers to the same prompt, whole or cut by the limit
  std::string model;                // as the provider names it: "gpt-5-2026-08-07"
  std::string problem;              // one sentence; empty for a complete reply
  Usage usage;
  bool usage_known = false;    // the provider said it; else `nano_usd` is the worst case
  std::int64_t nano_usd = 0;   // what all attempts cost, in 1e-9 dollars
  double seconds = 0;          // wall time, waiting for a slot and retries included
  int attempts = 0;            // requests sent
  bool provider_lost = false;  // it answers no question, so none need be asked: a wrong key or
                               // address, no money left, for long nothing but errors
};
std::string_view to_string(Reply::End end);
Result<Reply::End> parse_reply_end(std::string_view text);

inline constexpr std::int64_t k_nano_usd_per_usd = 1'000'000'000;
constexpr double usd_of(std::int64_t nano_usd) {
  return static_cast<double>(nano_usd) / static_cast<double>(k_nano_usd_per_usd);
}

std::string encode(const Prompt& prompt);
std::string encode(const Reply& reply);
Result<Prompt> decode_prompt(std::string_view json);
Result<Reply> decode_reply(std::string_view json);

}  // namespace cupel
