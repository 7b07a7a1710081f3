#include "engine/plan/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "engine/plan/under_way.h"
#include "engine/rounds/final_round.h"
#include "stats/quantile.h"

namespace cupel::engine {
namespace {

using journal::OpenProposal;

// Before anything of the kind was seen. Hopeful: a question too many costs less than a run without
// any, and the second one knows better.
constexpr double k_answer_s = 10;
constexpr double k_judgement_s = 3;
// The final round's programs and the winner's audit, in judgements of one program.
constexpr double k_final_judgements = 4;
// Bought before anybody has seen how long a judgement takes here.
constexpr int k_blind_max = 2;
// Of the times seen so far: three in four take less.
constexpr double k_quantile = 0.75;
// Of the measuring time, while programs that were paid for wait. The seeds worth most come first.
constexpr double k_seed_share = 0.25;

double typical(const std::vector<double>& seconds, double otherwise) {
  if (seconds.empty()) return otherwise;
  return stats::quantile(seconds, k_quantile);
}

double answer_s(const journal::RunState& state, const std::string& provider, Proposal::Kind kind) {
  std::vector<double> of_kind, of_any;
  for (const auto& [key, answers] : state.answers) {
    if (key.first != provider) continue;
    of_any.insert(of_any.end(), answers.seconds.begin(), answers.seconds.end());
    if (key.second == kind) of_kind = answers.seconds;
  }
  return typical(of_kind, typical(of_any, k_answer_s));
}

double judgement_s(const journal::RunState& state, bool bought) {
  std::vector<double> alike, all;
  for (const Judged& judged : state.record.judged) {
    if (judged.seconds <= 0) continue;  // a reply without a program
    all.push_back(judged.seconds);
    if (asks_agent(judged.proposal.kind) == bought) alike.push_back(judged.seconds);
  }
  return typical(alike, typical(all, k_judgement_s));
}

// What the end will take and the budget does not keep back yet: nothing has won so far.
double unreserved_final_s(const journal::RunState& state) {
  return std::max(0.0, k_final_judgements * judgement_s(state, true) - final_round_s(state));
}

double compile_s(const journal::RunState& state, const Proposal& proposal) {
  for (const Seed& seed : state.seeds) {
    if (seed.name == proposal.label) return seed.expected_compile_s;
  }
  return 0;
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

bool seeds_had_their_share(const journal::RunState& state) {
  double seeds_s = 0, all_s = 0;
  for (const Judged& judged : state.record.judged) {
    all_s += judged.seconds;
    if (judged.proposal.kind == Proposal::Kind::seed) seeds_s += judged.seconds;
  }
  return seeds_s >= k_seed_share * all_s;
}

}  // namespace

int bought_under_way(const journal::RunState& state) {
  return static_cast<int>(
      std::count_if(state.open.begin(), state.open.end(), [](const OpenProposal& open) {
        const bool paid = open.asked || open.reply || !open.candidate.id.empty();
        return paid && asks_agent(open.proposal.kind) && gives_candidate(open.proposal.kind);
      }));
}

std::vector<OpenProposal> measuring_order(const journal::RunState& state,
                                          std::vector<OpenProposal> waiting, double seconds_left) {
  const int bought = bought_under_way(state);
  const double spare_s =
      seconds_left - bought * judgement_s(state, true) - unreserved_final_s(state);
  if (bought > 0) {
    const double seed_s = judgement_s(state, false);
    std::erase_if(waiting, [&](const OpenProposal& open) {
      return is_seed(open) && seed_s + compile_s(state, open.proposal) > spare_s;
    });
  }
  std::sort(
      waiting.begin(), waiting.end(), [&](const OpenProposal& left, const OpenProposal& right) {
        return std::tuple(rank_of(left.proposal), worry_of(state, left), left.candidate_number) <
               std::tuple(rank_of(right.proposal), worry_of(state, right), right.candidate_number);
      });
  const auto seed = std::find_if(waiting.begin(), waiting.end(), &is_seed);
  if (seed != waiting.end() && !seeds_had_their_share(state)) {
    const auto first_bought = std::find_if(
        waiting.begin(), seed, [](const OpenProposal& open) { return rank_of(open.proposal) > 0; });
    std::rotate(first_bought, seed, std::next(seed));
  }
  return waiting;
}

std::string too_late_for(const journal::RunState& state, const llm::Provider& provider,
                         const Proposal& proposal, double seconds_left) {
  const double one_answer_s = answer_s(state, provider.name(), proposal.kind);
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
