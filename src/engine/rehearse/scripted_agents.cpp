#include "engine/rehearse/scripted_agents.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/rng.h"

namespace cupel::engine {
namespace {

constexpr std::string_view k_candidate_mark = "class ModelNew";
constexpr int k_ideas = 10;

std::uint64_t number_of(std::uint64_t seed, const std::string& proposal_id, int attempt) {
  const std::string digest = Hasher("scripted reply")
                                 .add("seed", static_cast<std::int64_t>(seed))
                                 .add("proposal", proposal_id)
                                 .add("attempt", static_cast<std::int64_t>(attempt))
                                 .finish();
  return std::stoull(digest.substr(0, 16), nullptr, 16);
}

Result<Prompt> scripted_prompt(const Proposal& proposal, const propose::Context&) {
  Prompt prompt;
  prompt.proposal_id = proposal.id;
  prompt.agent = to_string(proposal.kind);
  prompt.tier = proposal.tier;
  prompt.user = fmt::format("{} {}", proposal.label, proposal.idea);
  return prompt;
}

propose::Parsed scripted_parsing(const Proposal& proposal, const Reply& reply,
                                 const propose::Context&) {
  propose::Parsed parsed;
  if (reply.text.find(k_candidate_mark) == std::string::npos) {
    parsed.problem = "the reply holds no ModelNew";
  } else if (gives_candidate(proposal.kind)) {
    parsed.candidate = make_candidate(reply.text, proposal.id + " " + proposal.label);
  } else {
    for (int i = 1; i <= k_ideas; ++i) parsed.texts.push_back(fmt::format("idea {}", i));
  }
  return parsed;
}

}  // namespace

// A question's worst case is its own, between half and all of the largest.
std::int64_t ScriptedProvider::nano_usd_max(const Prompt& prompt) const {
  if (settings_.nano_usd_max == 0) return 0;
  Rng rng(number_of(settings_.seed, prompt.proposal_id + " price", 0));
  const std::int64_t half = settings_.nano_usd_max / 2;
  return half + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(half) + 1));
}

Reply ScriptedProvider::ask(const Prompt& prompt, const StopFlag&) {
  int attempt = 0;
  {
    const std::lock_guard lock(mutex_);
    attempt = asked_[prompt.proposal_id]++;
  }
  if (on_ask) on_ask(prompt);
  Rng rng(number_of(settings_.seed, prompt.proposal_id, attempt));
  Reply reply;
  reply.model = "scripted";
  reply.attempts = 1;
  reply.seconds =
      settings_.seconds_min + (settings_.seconds_max - settings_.seconds_min) * rng.uniform();
  const auto price_steps = static_cast<std::uint64_t>(nano_usd_max(prompt)) + 1;
  reply.nano_usd = static_cast<std::int64_t>(rng.below(price_steps));
  reply.usage_known = true;
  if (rng.uniform() < settings_.failed) {
    reply.problem = "as the script says";
    return reply;
  }
  reply.end = Reply::End::complete;
  const bool usable = rng.uniform() >= settings_.unusable;
  reply.text = usable ? fmt::format("{}:\n    number = {}\n", k_candidate_mark, rng.next())
                      : "I cannot help with that.";
  return reply;
}

Agents scripted_agents(llm::Provider& provider) {
  Agents agents;
  agents.strong = &provider;
  agents.make_prompt = &scripted_prompt;
  agents.parse_reply = &scripted_parsing;
  return agents;
}

}  // namespace cupel::engine
