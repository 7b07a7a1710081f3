// Questions to agents: worst case reserved, sent, settled, and the reply made into a candidate or
// an answer. Every step is an event before the next one begins.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/doors/sitting.h"

namespace cupel::engine {

// Questions of one proposal that may fail before it is closed as an unusable reply.
inline constexpr int k_asks_max = 3;
// Failed questions in a row that end a sitting: the provider is down, or the key is wrong.
inline constexpr int k_failures_in_row_max = 10;

// Charges questions that were under way when the last sitting died at their worst case; they are
// asked again.
Status settle_lost_asks(Sitting& sitting);

// A budget cannot pay for a question, and no question under way can leave anything for it; or its
// answer could not be judged in the time that is left.
struct Shortage {
  std::string proposal_id;
  std::string why;
};

// What became of a question that was to be sent.
struct Asked {
  bool sent = false;
  bool has_query = true;            // the budget of queries pays for it
  std::int64_t nano_usd_least = 0;  // the least that it may take, where it was not sent
};

// Sends the question of an open proposal if the budgets pay for it now. Its lane has room.
Result<Asked> ask(Sitting& sitting, const Proposal& proposal);

// Sends what the LLM lane has room for, in the order proposed, and hands the ids of those to
// `started`; of several that share a question, the first one's. A question that must wait for
// money that others hold back is passed over.
Result<std::vector<Shortage>> start_asks(Sitting& sitting, std::vector<std::string>& started);

// Settles a reply, of all that share the question. `cancelled`: a failure is our own doing and
// counts for nothing. Gives the error that ends the sitting if nobody will answer: the provider is
// lost, or has not answered for long.
Result<std::optional<Error>> take_reply(Sitting& sitting, const std::string& proposal_id,
                                        Reply reply, bool cancelled);

// Makes replies into candidates, answers or `invalid_reply`; closes proposals that nobody answers.
Status parse_replies(Sitting& sitting);

// What the options leave agents to be told.
propose::Telling telling_of(const RunOptions& options);

// What a prompt for `proposal` may speak of. Refers to the state.
propose::Context context_of(const journal::RunState& state, const Proposal& proposal);

}  // namespace cupel::engine
