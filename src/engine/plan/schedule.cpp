#include "engine/plan/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "engine/plan/durations.h"
#include "engine/plan/under_way.h"
#include "engine/rounds/final_round.h"

namespace cupel::engine {
namespace {

using journal::OpenProposal;

// Of an answer, before one came. Hopeful where it is asked whether there is time for it: a question
// too many costs less than a run without any, and the second one knows better.
constexpr double k_answer_s = 10;
// And where a seed could be in its way: reasoning models think for a minute.
constexpr double k_answer_in_the_way_s = 60;
// The final round's programs and the winner's audit, in judgements of one program.
constexpr double k_final_judgements = 4;
// Bought before anybody has seen how long a judgement takes here.
constexpr int k_blind_max = 2;
// Of the measuring time, while programs that were paid for wait or are being written. The seeds
// worth most come first.
constexpr double k_seed_share = 0.25;

// What the end will take and the budget does not keep back yet: nothing has won so far.
double unreserved_final_s(const journal::RunState& state) {
  return std::max(0.0, k_final_judgements * judgement_s(state, true) - final_round_s(state));
}

int rank_of(const Proposal& proposal) {
  if (proposal.kind == Proposal::Kind::file) return 0;
  if (asks_agent(proposal.kind)) return 1;
  return proposal.kind == Proposal::Kind::seed ? 3 : 2;
}

// What agents wrote that does nothing which is not free, by its labels, goes after what may; so
// does what the reader is worried about, and before both what it is still reading.
int worry_of(const journal::RunState& state, const OpenProposal& open) {
  const std::string& id = open.candidate.id;
  const bool worries =
      looks_worthless(labels_of(state.record.labels, id)) || has_remarks(state.record.readings, id);
  if (worries) return 2;
  return is_being_read(state, id) ? 1 : 0;
}

bool is_seed(const OpenProposal& open) {
  return open.proposal.kind == Proposal::Kind::seed;
}

// Whether seeds would still have at most their share once this one is judged.
bool is_in_seeds_share(const journal::RunState& state, const Proposal& seed) {
  const double own_s = seed_s(state, seed);
  double seeds_s = own_s, all_s = own_s;
  for (const Judged& judged : state.record.judged) {
    all_s += judged.seconds;
    if (judged.proposal.kind == Proposal::Kind::seed) seeds_s += judged.seconds;
  }
  return seeds_s <= k_seed_share * all_s;
}

// Until the answer to a question that is under way can be measured. One that is late is expected to
// be as late again, so that nothing waits for good.
double answer_due_s(const journal::RunState& state, const OpenProposal& open, double now_s) {
  const auto typical_s = [&](Proposal::Kind kind) {
    return answer_s(state, open.provider, kind, k_answer_in_the_way_s);
  };
  const double waited_s = now_s - static_cast<double>(open.asked->asked_ns) / k_ns_per_s;
  const double due_s = std::abs(typical_s(open.proposal.kind) - waited_s);
  return gives_candidate(open.proposal.kind) ? due_s : due_s + typical_s(Proposal::Kind::write);
}

}  // namespace

int bought_under_way(const journal::RunState& state) {
  return static_cast<int>(
      std::count_if(state.open.begin(), state.open.end(), [](const OpenProposal& open) {
        const bool paid = open.asked || open.reply || !open.candidate.id.empty();
        return paid && asks_agent(open.proposal.kind) && gives_candidate(open.proposal.kind);
      }));
}

double bought_due_s(const journal::RunState& state, double now_s) {
  double due_s = std::numeric_limits<double>::infinity();
  for (const OpenProposal& open : state.open) {
    if (!asks_writer(open.proposal.kind)) continue;
    if (!open.candidate.id.empty() || open.reply) return 0;
    if (open.asked) due_s = std::min(due_s, answer_due_s(state, open, now_s));
  }
  return due_s;
}

std::vector<OpenProposal> measuring_order(const journal::RunState& state,
                                          std::vector<OpenProposal> waiting, double now_s,
                                          double seconds_left) {
  const int bought = bought_under_way(state);
  const double spare_s =
      seconds_left - bought * judgement_s(state, true) - unreserved_final_s(state);
  const double due_s = bought_due_s(state, now_s);
  std::erase_if(waiting, [&](const OpenProposal& open) {
    if (!is_seed(open)) return false;
    const double own_s = seed_s(state, open.proposal);
    if (bought > 0 && own_s > spare_s) return true;
    return own_s > due_s && !is_in_seeds_share(state, open.proposal);
  });
  std::sort(
      waiting.begin(), waiting.end(), [&](const OpenProposal& left, const OpenProposal& right) {
        return std::tuple(rank_of(left.proposal), worry_of(state, left), left.candidate_number) <
               std::tuple(rank_of(right.proposal), worry_of(state, right), right.candidate_number);
      });
  const auto seed = std::find_if(waiting.begin(), waiting.end(), [&](const OpenProposal& open) {
    return is_seed(open) && is_in_seeds_share(state, open.proposal);
  });
  if (seed != waiting.end()) {
    const auto first_bought = std::find_if(
        waiting.begin(), seed, [](const OpenProposal& open) { return rank_of(open.proposal) > 0; });
    std::rotate(first_bought, seed, std::next(seed));
  }
  return waiting;
}

std::string too_late_for(const journal::RunState& state, const llm::Provider& provider,
                         const Proposal& proposal, double seconds_left) {
  const double one_answer_s = answer_s(state, provider.name(), proposal.kind, k_answer_s);
  const double one_judgement_s = judgement_s(state, true);
  const int answers = gives_candidate(proposal.kind) ? 1 : 2;  // ideas need a program, too
  const int before = bought_under_way(state);
  const double needed_s = std::max(answers * one_answer_s, before * one_judgement_s);
  // Its own judgement, and what is being measured when it comes.
  const double after_s = 2 * one_judgement_s + unreserved_final_s(state);
  if (needed_s + after_s <= seconds_left) return "";
  return fmt::format(
      "no more is asked: an answer takes about {:.0f} s, a judgement {:.0f} s, {} programs are "
      "before it, the end needs its time, and {:.0f} s of the budget are left",
      one_answer_s, one_judgement_s, before, std::max(0.0, seconds_left));
}

bool must_wait(const journal::RunState& state, double seconds_left) {
  const bool seen = std::any_of(state.record.judged.begin(), state.record.judged.end(),
                                [](const Judged& judged) { return judged.seconds > 0; });
  return std::isfinite(seconds_left) && !seen && bought_under_way(state) >= k_blind_max;
}

}  // namespace cupel::engine
