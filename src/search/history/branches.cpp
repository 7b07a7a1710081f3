#include "search/history/branches.h"

#include <algorithm>
#include <tuple>

#include "search/winning/standing.h"

namespace cupel::search {
namespace {

bool is_child(const Proposal& proposal) {
  return asks_agent(proposal.kind) && gives_candidate(proposal.kind);
}

bool is_brainstorm(const Proposal& proposal) {
  return proposal.kind == Proposal::Kind::brainstorm;
}

std::vector<Attempt> attempts_of(const History& history) {
  std::vector<Attempt> attempts;
  attempts.reserve(history.judged.size() + history.pending.size() + history.rejected.size());
  for (const Judged& entry : history.judged) {
    if (is_child(entry.proposal)) attempts.push_back({&entry.proposal, &entry, false});
  }
  for (const Proposal& entry : history.pending) {
    if (is_child(entry)) attempts.push_back({&entry, nullptr, true});
  }
  for (const Proposal& entry : history.rejected) {
    if (is_child(entry)) attempts.push_back({&entry, nullptr, false});
  }
  return attempts;
}

bool comes_before(const Attempt& left, const Attempt& right) {
  const Proposal& a = *left.proposal;
  const Proposal& b = *right.proposal;
  const auto place = [](const Proposal& p) { return std::tie(p.phase, p.branch, p.fix_round); };
  if (place(a) != place(b)) return place(a) < place(b);
  return is_earlier(a.id, b.id);
}

bool same_branch(const Attempt& left, const Attempt& right) {
  return left.proposal->phase == right.proposal->phase &&
         left.proposal->branch == right.proposal->branch;
}

}  // namespace

const Judged* Branch::correct() const {
  const Judged* judged = last().judged;
  return judged && is_correct(judged->verdict.outcome) ? judged : nullptr;
}

const Judged* Branch::mendable() const {
  const Judged* judged = last().judged;
  return judged && is_mendable(judged->verdict.outcome) ? judged : nullptr;
}

Branches::Branches(const History& history) : attempts_(attempts_of(history)) {
  std::sort(attempts_.begin(), attempts_.end(), comes_before);
  for (std::size_t begin = 0; begin < attempts_.size();) {
    std::size_t end = begin + 1;
    while (end < attempts_.size() && same_branch(attempts_[begin], attempts_[end])) ++end;
    const Proposal& first = *attempts_[begin].proposal;
    branches_.push_back({first.phase, first.branch, {&attempts_[begin], end - begin}});
    begin = end;
  }
}

std::span<const Branch> Branches::of_phase(int phase) const {
  const auto range = std::ranges::equal_range(branches_, phase, {}, &Branch::phase);
  return {range.begin(), range.end()};
}

std::span<const Branch> Branches::since_phase(int phase) const {
  const auto first = std::ranges::lower_bound(branches_, phase, {}, &Branch::phase);
  return {first, branches_.end()};
}

const Branch* Branches::find(int phase, int number) const {
  const std::span<const Branch> siblings = of_phase(phase);
  const auto found = std::ranges::lower_bound(siblings, number, {}, &Branch::number);
  return found != siblings.end() && found->number == number ? &*found : nullptr;
}

int Branches::last_phase() const {
  return branches_.empty() ? -1 : branches_.back().phase;
}

int in_flight(const History& history) {
  return static_cast<int>(std::ranges::count_if(
      history.pending, [](const Proposal& proposal) { return asks_agent(proposal.kind); }));
}

Ideas ideas_of(const History& history) {
  Ideas ideas;
  const auto count = [&](const Proposal& proposal) {
    if (!is_brainstorm(proposal)) return false;
    ++ideas.asked;
    if (is_earlier(ideas.last_id, proposal.id)) ideas.last_id = proposal.id;
    return true;
  };
  for (const Answered& entry : history.answered) {
    if (count(entry.proposal))
      ideas.texts.insert(ideas.texts.end(), entry.texts.begin(), entry.texts.end());
  }
  for (const Proposal& entry : history.pending) ideas.pending |= count(entry);
  for (const Proposal& entry : history.rejected) count(entry);
  return ideas;
}

}  // namespace cupel::search
