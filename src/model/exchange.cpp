#include "model/exchange.h"

#include "model/codec.h"
#include "model/names.h"

namespace cupel {
namespace {

constexpr NameTable<Tier, 3> k_tiers{
    {{Tier::cheap, "cheap"}, {Tier::strong, "strong"}, {Tier::reader, "reader"}}};
constexpr NameTable<Reply::End, 4> k_ends{{{Reply::End::complete, "complete"},
                                           {Reply::End::truncated, "truncated"},
                                           {Reply::End::refused, "refused"},
                                           {Reply::End::failed, "failed"}}};

}  // namespace

std::string_view to_string(Tier tier) {
  return name_of(k_tiers, tier);
}

Result<Tier> parse_tier(std::string_view text) {
  return value_of(k_tiers, text, "tier");
}

std::string_view to_string(Reply::End end) {
  return name_of(k_ends, end);
}

Result<Reply::End> parse_reply_end(std::string_view text) {
  return value_of(k_ends, text, "end of a reply");
}

void Usage::add(const Usage& other) {
  prompt_tokens += other.prompt_tokens;
  cached_tokens += other.cached_tokens;
  reply_tokens += other.reply_tokens;
  thought_tokens += other.thought_tokens;
  written_tokens += other.written_tokens;
}

CUPEL_JSON_ENUM(Tier, parse_tier)
CUPEL_JSON_ENUM(Reply::End, parse_reply_end)
CUPEL_JSON_STRUCT(Prompt, proposal_id, agent, tier, system, user, temperature, reply_tokens_max,
                  billed_attempts_max, answers)
CUPEL_JSON_STRUCT(Usage, prompt_tokens, cached_tokens, reply_tokens, thought_tokens, written_tokens)
CUPEL_JSON_STRUCT(Reply, end, text, others, model, problem, usage, usage_known, nano_usd, seconds,
                  attempts, provider_lost)

std::string encode(const Prompt& prompt) {
  return encode_value(prompt);
}
std::string encode(const Reply& reply) {
  return encode_value(reply);
}
Result<Prompt> decode_prompt(std::string_view json) {
  return decode_value<Prompt>(json, "prompt");
}
Result<Reply> decode_reply(std::string_view json) {
  return decode_value<Reply>(json, "reply");
}

}  // namespace cupel
