#include "engine/plan/under_way.h"

#include <algorithm>

namespace cupel::engine {

using journal::OpenProposal;

bool asks_writer(Proposal::Kind kind) {
  return asks_agent(kind) && kind != Proposal::Kind::read;
}

bool is_bought(const OpenProposal& open) {
  return asks_agent(open.proposal.kind) && !open.candidate.id.empty();
}

bool is_unasked(const OpenProposal& open) {
  return asks_agent(open.proposal.kind) && open.candidate.id.empty() && !open.asked && !open.reply;
}

bool is_any_under_way(const journal::RunState& state) {
  return std::any_of(state.open.begin(), state.open.end(),
                     [](const OpenProposal& open) { return open.asked.has_value(); });
}

bool is_being_read(const journal::RunState& state, const std::string& candidate_id) {
  return std::any_of(state.open.begin(), state.open.end(), [&](const OpenProposal& open) {
    return open.asked && open.proposal.kind == Proposal::Kind::read &&
           open.proposal.parents.front() == candidate_id;
  });
}

}  // namespace cupel::engine
