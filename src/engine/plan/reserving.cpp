#include "engine/plan/reserving.h"

#include <algorithm>
#include <vector>

namespace cupel::engine {
namespace {

// Answers before their length is relied on: thinking varies by a factor of two or so.
constexpr int k_answers_min = 3;
// Room above the longest answer so far. One that is cut all the same raises the bound.
constexpr double k_room = 1.5;

std::optional<std::int64_t> learned_tokens(const llm::Provider& provider,
                                           const journal::RunState& state,
                                           const Proposal& proposal) {
  const auto found = state.answers.find({provider.name(), proposal.kind});
  if (found == state.answers.end() || found->second.count < k_answers_min) return std::nullopt;
  return static_cast<std::int64_t>(k_room * static_cast<double>(found->second.reply_tokens_max));
}

// The most generous terms first.
std::vector<Affordable> terms_of(const llm::Provider& provider, const journal::RunState& state,
                                 const Proposal& proposal, Prompt prompt) {
  std::vector<Affordable> terms{{prompt, provider.nano_usd_max(prompt)}};
  prompt.billed_attempts_max = 1;
  terms.push_back({prompt, provider.nano_usd_max(prompt)});
  const auto tokens = learned_tokens(provider, state, proposal);
  if (!tokens || *tokens >= prompt.reply_tokens_max) return terms;
  prompt.reply_tokens_max = std::max<std::int64_t>(1, *tokens);
  terms.push_back({prompt, provider.nano_usd_max(prompt)});
  return terms;
}

}  // namespace

std::optional<Affordable> afford(const llm::Provider& provider, const journal::RunState& state,
                                 const llm::Ledger& ledger, const Proposal& proposal,
                                 const Prompt& prompt) {
  for (Affordable& terms : terms_of(provider, state, proposal, prompt)) {
    if (terms.nano_usd_max <= ledger.nano_usd_left()) return std::move(terms);
  }
  return std::nullopt;
}

std::int64_t least_nano_usd(const llm::Provider& provider, const journal::RunState& state,
                            const Proposal& proposal, const Prompt& prompt) {
  return terms_of(provider, state, proposal, prompt).back().nano_usd_max;
}

}  // namespace cupel::engine
