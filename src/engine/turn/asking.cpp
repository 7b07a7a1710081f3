#include "engine/turn/asking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/own_programs/rewriting.h"
#include "engine/plan/budget.h"
#include "engine/plan/reserving.h"
#include "engine/plan/schedule.h"
#include "engine/plan/sharing.h"
#include "engine/plan/under_way.h"
#include "engine/turn/profiling.h"
#include "engine/turn/reading.h"
#include "propose/replies/reading.h"
#include "search/winning/choice.h"

namespace cupel::engine {
namespace {

using journal::OpenProposal;

bool waits_for_ask(const OpenProposal& open) {
  return asks_writer(open.proposal.kind) && is_unasked(open) && open.failed_asks < k_asks_max;
}

bool is_any_program_bought(const journal::RunState& state) {
  const auto& judged = state.record.judged;
  const bool is_any_judged = std::any_of(judged.begin(), judged.end(), [](const Judged& one) {
    return asks_agent(one.proposal.kind) && !one.candidate.id.empty();
  });
  return is_any_judged || std::any_of(state.open.begin(), state.open.end(), &is_bought);
}

constexpr std::int64_t k_nano_usd_per_cent = k_nano_usd_per_usd / 100;

// In whole cents, rounded up.
double enough_usd(std::int64_t nano_usd) {
  return static_cast<double>((nano_usd + k_nano_usd_per_cent - 1) / k_nano_usd_per_cent) / 100;
}

// `nano_usd`: the least that the question may take.
std::string shortage_text(const journal::RunState& state, const llm::Ledger& ledger,
                          const Proposal& proposal, std::int64_t nano_usd) {
  if (is_any_program_bought(state)) {
    return fmt::format("${:.4f} of the budget are left, and this question may cost ${:.4f}",
                       usd_of(ledger.nano_usd_left()), usd_of(nano_usd));
  }
  return fmt::format(
      "the budget of ${:.4f} buys no program: ${:.4f} are spent, and a question to {} may cost "
      "${:.4f}; --budget {:.2f}usd is the least that would",
      usd_of(state.record.options.nano_usd_max), usd_of(state.nano_usd_spent),
      to_string(proposal.kind), usd_of(nano_usd), enough_usd(state.nano_usd_spent + nano_usd));
}

Verdict unusable(const Proposal& proposal, const std::string& why, Fault fault) {
  Verdict verdict;
  verdict.label = proposal.label;
  verdict.outcome = Outcome::invalid_reply;
  verdict.fault = fault;
  verdict.reasons = {{"invalid_reply", why, 0, 0}};
  verdict.feedback = why;
  return verdict;
}

Status close_unusable(Sitting& sitting, const Proposal& proposal, const propose::Parsed& parsed,
                      Fault fault) {
  if (!gives_candidate(proposal.kind)) {
    return sitting.journal.answer({proposal.id, {}, parsed.mended, parsed.problem});
  }
  CUPEL_TRY_STATUS(sitting.journal.judge_unmeasured(
      {proposal.id, "", unusable(proposal, parsed.problem, fault), 0}));
  sitting.progress.on_judged(sitting.state().record.judged.back());
  return {};
}

Status keep_parsed(Sitting& sitting, const Proposal& proposal, propose::Parsed parsed) {
  if (!gives_candidate(proposal.kind)) {
    return sitting.journal.answer(
        {proposal.id, std::move(parsed.texts), std::move(parsed.mended), parsed.problem});
  }
  if (!parsed.candidate) return close_unusable(sitting, proposal, parsed, Fault::candidate);
  return sitting.journal.parse(
      {proposal.id, std::move(*parsed.candidate), std::move(parsed.mended)});
}

// A kill may have fallen between a failure and the end of its reading.
Status parse_reading(Sitting& sitting, const OpenProposal& open) {
  if (open.reply) return keep_reading(sitting, open, propose::parse_reading(*open.reply));
  if (open.asked || open.failed_asks == 0) return {};
  return keep_reading(sitting, open, {{}, "no answer came"});
}

std::vector<Proposal> waiting_for_ask(const journal::RunState& state) {
  std::vector<Proposal> waiting;
  for (const OpenProposal& open : state.open) {
    if (waits_for_ask(open)) waiting.push_back(open.proposal);
  }
  return waiting;
}

// Sends one question for all of them, which ask the same.
Result<Asked> ask_for(Sitting& sitting, const std::vector<Proposal>& askers) {
  const Proposal& first = askers.front();
  const auto parts = static_cast<int>(askers.size());
  llm::Provider& provider = sitting.agents.of(first.tier);
  propose::Context context = context_of(sitting.state(), first);
  context.answers = parts;
  CUPEL_TRY(Prompt prompt, sitting.agents.make_prompt(first, context));
  prompt.proposal_id = first.id;
  prompt.answers = parts;
  const int queries = first.charged ? 1 : 0;
  const llm::Ledger ledger = ledger_of(sitting.state());
  if (queries * parts > ledger.queries_left()) return Asked{.has_query = false};
  const auto affordable = afford(provider, sitting.state(), ledger, first, prompt);
  if (!affordable) {
    return Asked{.nano_usd_least = least_nano_usd(provider, sitting.state(), first, prompt)};
  }
  const std::int64_t nano_usd_max = reserved_part(affordable->nano_usd_max, parts);
  for (const Proposal& asker : askers) {
    const std::string with = asker.id == first.id ? "" : first.id;
    CUPEL_TRY_STATUS(sitting.journal.ask({asker.id, provider.name(), nano_usd_max, queries, with},
                                         affordable->prompt));
  }
  CUPEL_TRY_STATUS(sitting.journal.keep());
  sitting.lanes.ask(affordable->prompt);
  return Asked{.sent = true};
}

// With others that ask the same where the provider sells several answers to one prompt; not under a
// budget of minutes, since what comes at once could come too late to be judged.
Result<Asked> ask_alike(Sitting& sitting, const Proposal& proposal, double seconds_left) {
  const int sold = sitting.agents.of(proposal.tier).answers_max();
  if (sold > 1 && std::isinf(seconds_left)) {
    const std::int64_t count_max = std::min<std::int64_t>(
        sold, proposal.charged ? ledger_of(sitting.state()).queries_left() : sold);
    const auto askers = alike(proposal, waiting_for_ask(sitting.state()), count_max);
    if (askers.size() > 1) {
      CUPEL_TRY(const Asked asked, ask_for(sitting, askers));
      if (asked.sent) return asked;
    }
  }
  return ask_for(sitting, {proposal});
}

// Settles one proposal's part of a reply. `given_up`: a failure counts for nothing.
Result<std::optional<Error>> take_part(Sitting& sitting, const std::string& proposal_id,
                                       Reply reply, bool given_up) {
  const OpenProposal* const open = journal::find_open(sitting.state(), proposal_id);
  CUPEL_CHECK(open && open->asked);
  const bool failed = reply.end == Reply::End::failed;
  const int queries = failed ? 0 : open->asked->queries;
  const std::string problem = reply.problem;
  const bool provider_lost = reply.provider_lost;
  const bool is_reading = open->proposal.kind == Proposal::Kind::read;
  const bool lost = failed && given_up;
  const std::string model = sitting.agents.of(open->proposal.tier).name();
  CUPEL_TRY_STATUS(sitting.journal.reply({proposal_id, std::move(reply), queries, lost}));
  if (!failed || lost) return std::nullopt;
  if (is_reading) {
    CUPEL_TRY_STATUS(keep_reading(sitting, *journal::find_open(sitting.state(), proposal_id),
                                  {{}, "no answer came: " + problem}));
    return std::nullopt;
  }
  if (!provider_lost) sitting.progress.on_note(proposal_id + " got no answer: " + problem);
  const bool too_many = sitting.state().asks_failed_in_row >= k_failures_in_row_max;
  if (!provider_lost && !too_many) return std::nullopt;
  return Error{ErrorTag::environment, "the LLM does not answer: " + problem, model,
               "mend that, then resume the run"};
}

}  // namespace

Status settle_lost_asks(Sitting& sitting) {
  std::int64_t lost_nano_usd = 0;
  int lost = 0;
  const auto open_ones = sitting.state().open;
  for (const OpenProposal& open : open_ones) {
    if (!open.asked) continue;
    ProposalReplied body{open.proposal.id, {}, open.asked->queries, true};
    body.reply.problem = "the process died before the answer came";
    body.reply.nano_usd = open.asked->nano_usd_max;
    CUPEL_TRY_STATUS(sitting.journal.reply(body));
    lost_nano_usd += body.reply.nano_usd;
    ++lost;
  }
  if (lost == 0) return {};
  sitting.progress.on_note(
      fmt::format("{} questions were under way when the run died; they are charged at their worst "
                  "case, ${:.4f}, and asked again",
                  lost, usd_of(lost_nano_usd)));
  return {};
}

Result<Asked> ask(Sitting& sitting, const Proposal& proposal) {
  return ask_for(sitting, {proposal});
}

Result<std::vector<Shortage>> start_asks(Sitting& sitting, std::vector<std::string>& started) {
  std::vector<Shortage> shortages;
  for (const Proposal& proposal : waiting_for_ask(sitting.state())) {
    const OpenProposal* const open = journal::find_open(sitting.state(), proposal.id);
    if (open->asked) continue;  // it shares another one's question
    if (!sitting.lanes.can_ask(proposal.tier) || awaits_profile(sitting, proposal)) continue;
    llm::Provider& provider = sitting.agents.of(proposal.tier);
    const double seconds_left = search_seconds_left(sitting.journal);
    std::string late = too_late_for(sitting.state(), provider, proposal, seconds_left);
    if (!late.empty()) {
      shortages.push_back({proposal.id, std::move(late)});
      continue;
    }
    if (must_wait(sitting.state(), seconds_left)) continue;
    CUPEL_TRY(const Asked asked, ask_alike(sitting, proposal, seconds_left));
    if (asked.sent) {
      started.push_back(proposal.id);
    } else if (!is_any_under_way(sitting.state())) {
      const auto& state = sitting.state();
      shortages.push_back(
          {proposal.id, asked.has_query
                            ? shortage_text(state, ledger_of(state), proposal, asked.nano_usd_least)
                            : "the budget of queries is spent"});
    }
  }
  return shortages;
}

Result<std::optional<Error>> take_reply(Sitting& sitting, const std::string& proposal_id,
                                        Reply reply, bool cancelled) {
  const std::vector<std::string> askers = askers_of(sitting.state(), proposal_id);
  const auto parts = static_cast<int>(askers.size());
  std::optional<Error> first;
  for (int part = 0; part < parts; ++part) {
    // One failure of a question is one: those that shared it are asked again.
    const bool given_up = cancelled || part > 0;
    CUPEL_TRY(auto failure, take_part(sitting, askers[static_cast<std::size_t>(part)],
                                      part_of(reply, parts, part), given_up));
    if (!first) first = std::move(failure);
  }
  return first;
}

Status parse_replies(Sitting& sitting) {
  const auto open_ones = sitting.state().open;
  for (const OpenProposal& open : open_ones) {
    if (!asks_agent(open.proposal.kind)) continue;
    if (open.proposal.kind == Proposal::Kind::read) {
      CUPEL_TRY_STATUS(parse_reading(sitting, open));
    } else if (open.reply) {
      const auto context = context_of(sitting.state(), open.proposal);
      CUPEL_TRY_STATUS(keep_parsed(
          sitting, open.proposal, sitting.agents.parse_reply(open.proposal, *open.reply, context)));
    } else if (open.failed_asks >= k_asks_max && !open.asked) {
      propose::Parsed nothing;
      nothing.problem = fmt::format("{} questions in a row were not answered", k_asks_max);
      CUPEL_TRY_STATUS(close_unusable(sitting, open.proposal, nothing, Fault::us));
    }
  }
  return {};
}

propose::Telling telling_of(const RunOptions& options) {
  const auto tells = [&](const char* what) {
    return std::find(options.withheld.begin(), options.withheld.end(), what) ==
           options.withheld.end();
  };
  return {tells("times"), tells("hardware"), tells("history"), tells("lessons"), tells("profile")};
}

propose::Context context_of(const journal::RunState& state, const Proposal& proposal) {
  const RunRecord& record = state.record;
  propose::Context context;
  context.task = &record.task;
  context.facts = &record.facts;
  context.policy = record.options.policy;
  context.device = device_kind(record.options);
  context.machine = state.start.machine;
  for (const std::string& parent : proposal.parents) {
    const auto found = state.judged_at.find(parent);
    if (found != state.judged_at.end()) context.parents.push_back(&record.judged[found->second]);
  }
  for (const Judged& judged : record.judged) context.history.push_back(&judged);
  for (const journal::OpenProposal& open : state.open) {
    if (asks_writer(open.proposal.kind)) context.under_way.push_back(&open.proposal);
    const bool is_read = proposal.kind == Proposal::Kind::read && !open.candidate.id.empty() &&
                         open.candidate.id == proposal.parents.front();
    if (is_read) context.program = &open.candidate;
  }
  context.best_free = search::choose(record.judged, {}).best_free;
  context.rewritten = plainest_rewritten(state.seeds);
  context.lessons = state.lessons;
  context.telling = telling_of(record.options);
  add_profiles(state, context);
  return context;
}

}  // namespace cupel::engine
