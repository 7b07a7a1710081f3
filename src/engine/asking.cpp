#include "engine/asking.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/budget.h"
#include "search/choice.h"

namespace cupel::engine {
namespace {

using journal::OpenProposal;

bool waits_for_ask(const OpenProposal& open) {
  return asks_agent(open.proposal.kind) && open.candidate.id.empty() && !open.asked &&
         !open.reply && open.failed_asks < k_asks_max;
}

std::string shortage_text(const llm::Ledger& ledger, std::int64_t nano_usd, int queries) {
  if (queries > ledger.queries_left()) return "the budget of queries is spent";
  return fmt::format("${:.4f} of the budget are left, and this question may cost ${:.4f}",
                     usd_of(ledger.nano_usd_left()), usd_of(nano_usd));
}

bool any_under_way(const journal::RunState& state) {
  return std::any_of(state.open.begin(), state.open.end(),
                     [](const OpenProposal& open) { return open.asked.has_value(); });
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

Result<std::vector<Shortage>> start_asks(Sitting& sitting, std::vector<std::string>& started) {
  std::vector<Shortage> shortages;
  std::vector<Proposal> waiting;
  for (const OpenProposal& open : sitting.state().open) {
    if (waits_for_ask(open)) waiting.push_back(open.proposal);
  }
  for (const Proposal& proposal : waiting) {
    if (!sitting.lanes.can_ask(proposal.tier)) continue;
    llm::Provider& provider = sitting.agents.of(proposal.tier);
    CUPEL_TRY(Prompt prompt,
              sitting.agents.make_prompt(proposal, context_of(sitting.state(), proposal)));
    prompt.proposal_id = proposal.id;
    const std::int64_t nano_usd_max = provider.nano_usd_max(prompt);
    const int queries = proposal.charged ? 1 : 0;
    llm::Ledger ledger = ledger_of(sitting.state());
    if (!ledger.reserve(proposal.id, nano_usd_max, queries)) {
      if (any_under_way(sitting.state())) continue;
      shortages.push_back({proposal.id, shortage_text(ledger, nano_usd_max, queries)});
      continue;
    }
    CUPEL_TRY_STATUS(
        sitting.journal.ask({proposal.id, provider.name(), nano_usd_max, queries}, prompt));
    CUPEL_TRY_STATUS(sitting.journal.keep());
    sitting.lanes.ask(prompt);
    started.push_back(proposal.id);
  }
  return shortages;
}

Status take_reply(Sitting& sitting, const std::string& proposal_id, Reply reply, bool cancelled) {
  const OpenProposal* const open = journal::find_open(sitting.state(), proposal_id);
  CUPEL_CHECK(open && open->asked);
  const bool failed = reply.end == Reply::End::failed;
  const int queries = failed ? 0 : open->asked->queries;
  const std::string problem = reply.problem;
  const bool lost = failed && cancelled;
  const std::string model = sitting.agents.of(open->proposal.tier).name();
  CUPEL_TRY_STATUS(sitting.journal.reply({proposal_id, std::move(reply), queries, lost}));
  if (!failed || lost) return {};
  sitting.progress.on_note(proposal_id + " got no answer: " + problem);
  if (sitting.state().asks_failed_in_row < k_failures_in_row_max) return {};
  return environment_error("the LLM does not answer: " + problem, model,
                           "mend that, then resume the run");
}

Status parse_replies(Sitting& sitting) {
  const auto open_ones = sitting.state().open;
  for (const OpenProposal& open : open_ones) {
    if (!asks_agent(open.proposal.kind)) continue;
    if (open.reply) {
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
  return {tells("times"), tells("hardware"), tells("history"), tells("lessons")};
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
    if (asks_agent(open.proposal.kind)) context.under_way.push_back(&open.proposal);
  }
  context.best_free = search::choose(record.judged, {}).best_free;
  context.lessons = state.lessons;
  context.telling = telling_of(record.options);
  return context;
}

}  // namespace cupel::engine
