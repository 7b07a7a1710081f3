// How much of the budget a question takes: the worst case of what is asked for, which is made
// smaller where the budget is short and earlier answers show that less will do.
#pragma once

#include <optional>

#include "engine/doors/sitting.h"
#include "llm/money/ledger.h"

namespace cupel::engine {

// A question that the budget pays for, whatever happens to it.
struct Affordable {
  Prompt prompt;
  std::int64_t nano_usd_max = 0;
};

// `prompt` with the most generous terms of these that `ledger` has room for:
//   1. as the agent has it: two of its requests may be billed;
//   2. one may: what breaks off is not asked for a second time;
//   3. one, of at most so many tokens as answers of this model to this agent have taken so far, and
//      half as many more. Needs some of them.
// Nothing where none fits.
std::optional<Affordable> afford(const llm::Provider& provider, const journal::RunState& state,
                                 const llm::Ledger& ledger, const Proposal& proposal,
                                 const Prompt& prompt);

// What the terms that cost least would take.
std::int64_t least_nano_usd(const llm::Provider& provider, const journal::RunState& state,
                            const Proposal& proposal, const Prompt& prompt);

}  // namespace cupel::engine
