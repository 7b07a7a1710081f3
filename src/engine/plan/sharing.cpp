#include "engine/plan/sharing.h"

#include <algorithm>

namespace cupel::engine {
namespace {

// Parts differ by one at most, and add up to the whole.
std::int64_t part_of(std::int64_t whole, int parts, int part) {
  return whole * (part + 1) / parts - whole * part / parts;
}

Usage part_of(const Usage& usage, int parts, int part) {
  Usage own;
  own.prompt_tokens = part_of(usage.prompt_tokens, parts, part);
  own.cached_tokens = part_of(usage.cached_tokens, parts, part);
  own.reply_tokens = part_of(usage.reply_tokens, parts, part);
  own.thought_tokens = part_of(usage.thought_tokens, parts, part);
  own.written_tokens = part_of(usage.written_tokens, parts, part);
  return own;
}

}  // namespace

std::vector<Proposal> alike(const Proposal& proposal, const std::vector<Proposal>& waiting,
                            std::int64_t count_max) {
  std::vector<Proposal> found{proposal};
  for (const Proposal& other : waiting) {
    if (static_cast<std::int64_t>(found.size()) >= count_max) break;
    const bool same_terms = other.tier == proposal.tier && other.charged == proposal.charged;
    if (other.id != proposal.id && same_terms && asks_alike(other, proposal)) {
      found.push_back(other);
    }
  }
  return found;
}

std::vector<std::string> askers_of(const journal::RunState& state, const std::string& proposal_id) {
  std::vector<std::string> ids{proposal_id};
  for (const journal::OpenProposal& open : state.open) {
    if (open.asked && open.asked->with == proposal_id) ids.push_back(open.proposal.id);
  }
  return ids;
}

std::int64_t reserved_part(std::int64_t nano_usd_max, int parts) {
  return (nano_usd_max + parts - 1) / parts;
}

Reply part_of(const Reply& reply, int parts, int part) {
  Reply own = reply;
  own.usage = part_of(reply.usage, parts, part);
  own.nano_usd = part_of(reply.nano_usd, parts, part);
  own.others.clear();
  if (part == 0) return own;
  own.text.clear();
  const auto other = static_cast<std::size_t>(part - 1);
  if (other < reply.others.size()) {
    own.text = reply.others[other];
    own.end = Reply::End::complete;
    own.problem.clear();
  } else if (reply.end != Reply::End::failed) {
    own.end = Reply::End::failed;
    own.problem = "the service gave fewer answers than were asked for";
  }
  return own;
}

}  // namespace cupel::engine
