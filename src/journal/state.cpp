#include "journal/state.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace cupel::journal {
namespace {

// Between two sittings nobody worked; a clock that was set back counts as no time.
void add_time(RunState& state, std::string_view kind, std::int64_t wall_ns) {
  if (kind != kind::k_sitting_started && state.events > 0) {
    state.worked_ns += std::max<std::int64_t>(0, wall_ns - state.last_wall_ns);
    state.record.wall_s = static_cast<double>(state.worked_ns) / 1e9;
  }
  state.last_wall_ns = wall_ns;
  ++state.events;
}

OpenProposal& open_of(RunState& state, const std::string& proposal_id) {
  const auto found =
      std::find_if(state.open.begin(), state.open.end(),
                   [&](const OpenProposal& open) { return open.proposal.id == proposal_id; });
  CUPEL_CHECK(found != state.open.end());
  return *found;
}

OpenProposal take_open(RunState& state, const std::string& proposal_id) {
  OpenProposal& found = open_of(state, proposal_id);
  OpenProposal taken = std::move(found);
  state.open.erase(state.open.begin() + (&found - state.open.data()));
  return taken;
}

Status need_open(const RunState& state, const std::string& proposal_id) {
  if (find_open(state, proposal_id)) return {};
  return input_error("no open proposal '" + proposal_id + "'");
}

void know_candidate(RunState& state, OpenProposal& open) {
  open.candidate_number = ++state.candidates_known;
}

// What every handler gives: its event was read, and this will follow.
template <class Body, class Act>
Change act(Body body, Act action) {
  return
      [body = std::move(body), action](RunState& state) mutable { action(state, std::move(body)); };
}

Result<Change> on_sitting_started(const RunState&, const Event&) {
  return [](RunState& state) {
    ++state.sittings;
    state.asks_failed_in_row = 0;
    state.readings_failed_in_row = 0;
  };
}

Result<Change> on_nothing(const RunState&, const Event&) {
  return [](RunState&) {};
}

Result<Change> on_run_started(const RunState&, const Event& event) {
  CUPEL_TRY(RunStarted body, decode_run_started(event.body));
  const std::int64_t wall_ns = event.wall_ns;
  return act(std::move(body), [wall_ns](RunState& state, RunStarted&& start) {
    state.start = std::move(start);
    state.started = true;
    state.record.run_id = state.start.run_id;
    state.record.task = state.start.task;
    state.record.options = state.start.options;
    state.record.started_wall_ns = wall_ns;
  });
}

Result<Change> on_admitted(const RunState&, const Event& event) {
  CUPEL_TRY(TaskAdmitted body, decode_task_admitted(event.body));
  return act(std::move(body), [](RunState& state, TaskAdmitted&& admitted) {
    state.admitted = true;
    state.record.facts = std::move(admitted.facts);
    state.record.admission = std::move(admitted.admission);
    state.seeds = std::move(admitted.seeds);
  });
}

Result<Change> on_recalled(const RunState&, const Event& event) {
  CUPEL_TRY(LessonsRecalled body, decode_lessons_recalled(event.body));
  return act(std::move(body), [](RunState& state, LessonsRecalled&& recalled) {
    state.recalled = true;
    state.lessons = std::move(recalled.lessons);
  });
}

Result<Change> on_proposed(const RunState&, const Event& event) {
  CUPEL_TRY(Proposed body, decode_proposed(event.body));
  return act(std::move(body), [](RunState& state, Proposed&& proposed) {
    const bool is_strategys = proposed.proposal.kind != Proposal::Kind::read;
    OpenProposal open;
    open.proposal = std::move(proposed.proposal);
    open.candidate = std::move(proposed.candidate);
    if (!open.candidate.id.empty()) know_candidate(state, open);
    state.open.push_back(std::move(open));
    state.steps_made = std::max(state.steps_made, proposed.step);
    if (is_strategys) ++state.proposals_made;
  });
}

Result<Change> on_asked(const RunState& state, const Event& event) {
  CUPEL_TRY_STATUS(need_open(state, event.subject));
  CUPEL_TRY(ProposalAsked body, decode_proposal_asked(event.body));
  body.proposal_id = event.subject;
  return act(std::move(body), [](RunState& next, ProposalAsked&& asked) {
    OpenProposal& open = open_of(next, asked.proposal_id);
    open.asked = {asked.nano_usd_max, asked.queries, asked.with, next.worked_ns};
    open.provider = std::move(asked.provider);
  });
}

void note_answer(RunState& state, const OpenProposal& open, const Reply& reply) {
  AnswersSoFar& so_far = state.answers[{open.provider, open.proposal.kind}];
  so_far.seconds.push_back(reply.seconds);
  if (!reply.usage_known) return;
  ++so_far.count;
  so_far.reply_tokens_max = std::max(so_far.reply_tokens_max, reply.usage.reply_tokens);
}

// A question that nobody answered leaves its proposal where it was: to be asked.
Result<Change> on_replied(const RunState& state, const Event& event) {
  CUPEL_TRY(ProposalReplied body, decode_proposal_replied(event.body));
  body.proposal_id = event.subject;
  const OpenProposal* const asker = find_open(state, event.subject);
  if (!asker || !asker->asked) return input_error("nobody asked for '" + event.subject + "'");
  return act(std::move(body), [](RunState& next, ProposalReplied&& replied) {
    OpenProposal& open = open_of(next, replied.proposal_id);
    open.asked.reset();
    open.nano_usd += replied.reply.nano_usd;
    next.nano_usd_spent += replied.reply.nano_usd;
    next.record.cost_usd = usd_of(next.nano_usd_spent);
    next.record.queries += replied.queries;
    if (replied.reply.usage_known) next.record.usage.add(replied.reply.usage);
    if (replied.lost) return;
    const bool failed = replied.reply.end == Reply::End::failed;
    // A reader that is lost says nothing of those who write.
    if (open.proposal.kind != Proposal::Kind::read) {
      next.asks_failed_in_row = failed ? next.asks_failed_in_row + 1 : 0;
    }
    if (failed) {
      ++open.failed_asks;
    } else {
      note_answer(next, open, replied.reply);
      open.reply = std::move(replied.reply);
      open.replied_ns = next.worked_ns;
    }
  });
}

Result<Change> on_parsed(const RunState& state, const Event& event) {
  CUPEL_TRY_STATUS(need_open(state, event.subject));
  CUPEL_TRY(ProposalParsed body, decode_proposal_parsed(event.body));
  body.proposal_id = event.subject;
  return act(std::move(body), [](RunState& next, ProposalParsed&& parsed) {
    OpenProposal& open = open_of(next, parsed.proposal_id);
    open.reply.reset();
    open.candidate = std::move(parsed.candidate);
    know_candidate(next, open);
  });
}

Result<Change> on_answered(const RunState& state, const Event& event) {
  CUPEL_TRY_STATUS(need_open(state, event.subject));
  CUPEL_TRY(ProposalAnswered body, decode_proposal_answered(event.body));
  body.proposal_id = event.subject;
  return act(std::move(body), [](RunState& next, ProposalAnswered&& answer) {
    OpenProposal open = take_open(next, answer.proposal_id);
    next.answered.push_back({std::move(open.proposal), std::move(answer.texts), open.nano_usd});
  });
}

Result<Change> on_built(const RunState& state, const Event& event) {
  CUPEL_TRY_STATUS(need_open(state, event.subject));
  return act(event.subject,
             [](RunState& next, std::string&& id) { open_of(next, id).built = true; });
}

Result<Change> on_profiled(const RunState&, const Event& event) {
  CUPEL_TRY(Profile body, decode_profile(event.body));
  return act(std::move(body), [](RunState& next, Profile&& profile) {
    std::string id = profile.candidate_id;
    next.profiles.insert_or_assign(std::move(id), std::move(profile));
  });
}

Result<Change> on_labelled(const RunState&, const Event& event) {
  CUPEL_TRY(Labelled body, decode_labelled(event.body));
  return act(std::move(body), [](RunState& next, Labelled&& labelled) {
    next.record.labels.insert_or_assign(std::move(labelled.candidate_id),
                                        std::move(labelled.labels));
  });
}

Result<Change> on_read(const RunState& state, const Event& event) {
  CUPEL_TRY_STATUS(need_open(state, event.subject));
  CUPEL_TRY(ProgramRead body, decode_program_read(event.body));
  body.proposal_id = event.subject;
  return act(std::move(body), [](RunState& next, ProgramRead&& read) {
    take_open(next, read.proposal_id);
    const bool failed = !read.reading.problem.empty();
    next.readings_failed_in_row = failed ? next.readings_failed_in_row + 1 : 0;
    next.record.readings.insert_or_assign(std::move(read.candidate_id), std::move(read.reading));
  });
}

Result<Change> on_faulted(const RunState& state, const Event& event) {
  if (event.subject == k_table_subject) return [](RunState& next) { ++next.table_faults; };
  if (event.subject == k_audit_subject) return [](RunState& next) { ++next.audit_faults; };
  CUPEL_TRY_STATUS(need_open(state, event.subject));
  return act(event.subject, [](RunState& next, std::string&& id) { ++open_of(next, id).faults; });
}

Result<Change> on_judged(const RunState& state, const Event& event) {
  CUPEL_TRY(ProposalJudged body, decode_proposal_judged(event.body));
  body.proposal_id = event.subject;
  CUPEL_TRY_STATUS(need_open(state, event.subject));
  return act(std::move(body), [](RunState& next, ProposalJudged&& judged) {
    OpenProposal open = take_open(next, judged.proposal_id);
    const std::string& id = open.candidate.id;
    if (!id.empty()) next.judged_at.emplace(id, next.record.judged.size());
    const double after_reply_s = asks_agent(open.proposal.kind)
                                     ? static_cast<double>(next.worked_ns - open.replied_ns) / 1e9
                                     : 0;
    next.record.judged.push_back({std::move(open.proposal), std::move(open.candidate),
                                  std::move(judged.verdict), judged.seconds, open.nano_usd,
                                  after_reply_s});
  });
}

Result<Change> on_rejected(const RunState& state, const Event& event) {
  CUPEL_TRY(ProposalRejected body, decode_proposal_rejected(event.body));
  body.proposal_id = event.subject;
  CUPEL_TRY_STATUS(need_open(state, event.subject));
  return act(std::move(body), [](RunState& next, ProposalRejected&& rejected) {
    OpenProposal open = take_open(next, rejected.proposal_id);
    next.rejected.push_back({std::move(open.proposal), std::move(open.candidate),
                             std::move(rejected.why), open.nano_usd});
  });
}

// The engine's words for it (engine/plan/proposing.h).
bool ends_search(const Decision& decision) {
  return decision.what == "stop" || decision.what == "search_over";
}

// Programs that are open, and money that went into what was closed. A duplicate has its verdict.
std::vector<Unmeasured> unmeasured_in(const RunState& state) {
  std::vector<Unmeasured> left;
  for (const OpenProposal& open : state.open) {
    if (open.proposal.kind == Proposal::Kind::read) continue;
    left.push_back({open.proposal, open.candidate.id, open.nano_usd, state.record.search_end});
  }
  for (const ClosedProposal& closed : state.rejected) {
    const bool is_judged = state.judged_at.contains(closed.candidate.id);
    const bool is_program = closed.proposal.kind != Proposal::Kind::read;
    if (closed.nano_usd == 0 || is_judged || !is_program) continue;
    left.push_back({closed.proposal, "", closed.nano_usd, closed.why});
  }
  return left;
}

Result<Change> on_decision(const RunState&, const Event& event) {
  CUPEL_TRY(Decision body, decode_decision(event.body));
  return act(std::move(body), [](RunState& state, Decision&& decision) {
    if (state.record.search_end.empty() && ends_search(decision)) {
      state.record.search_end = decision.why;
    }
    state.decisions.push_back(std::move(decision));
  });
}

Result<Change> on_tabled(const RunState&, const Event& event) {
  CUPEL_TRY(FinalTable body, decode_final_table(event.body));
  return act(std::move(body), [](RunState& state, FinalTable&& table) {
    state.record.table = table;
    apply_audits(state.record.table, state.record.audits);
    state.tables.push_back(std::move(table));
    state.judged_when_tabled = state.record.judged.size();
    state.table_faults = 0;
  });
}

Result<Change> on_audited(const RunState&, const Event& event) {
  CUPEL_TRY(WinnerAudit body, decode_winner_audit(event.body));
  return act(std::move(body), [](RunState& state, WinnerAudit&& audit) {
    apply_audits(state.record.table, {audit});
    state.record.audits.push_back(std::move(audit));
    state.audited_after.push_back(state.tables.size());
    state.audit_faults = 0;
  });
}

Result<Change> on_finished(const RunState&, const Event& event) {
  CUPEL_TRY(RunFinished body, decode_run_finished(event.body));
  return act(std::move(body), [](RunState& state, RunFinished&& finished) {
    state.record.winner_id = std::move(finished.winner_id);
    if (!finished.winner_file.empty()) {
      const std::filesystem::path directory = state.record.directory;
      state.record.winner_path = (directory / finished.winner_file).string();
    }
    state.record.finished = true;
    state.record.unmeasured = unmeasured_in(state);
  });
}

Result<Change> on_reopened(const RunState& state, const Event&) {
  if (!state.record.finished) return input_error("a run that is not finished was reopened");
  return [](RunState& next) {
    next.record.finished = false;
    next.record.unmeasured.clear();
    next.reopened = true;
  };
}

using Handler = Result<Change> (*)(const RunState&, const Event&);
constexpr auto k_handlers = std::to_array<std::pair<std::string_view, Handler>>({
    {kind::k_sitting_started, &on_sitting_started},
    {kind::k_sitting_ended, &on_nothing},
    {kind::k_run_started, &on_run_started},
    {kind::k_admitted, &on_admitted},
    {kind::k_recalled, &on_recalled},
    {kind::k_proposed, &on_proposed},
    {kind::k_prompted, &on_nothing},
    {kind::k_asked, &on_asked},
    {kind::k_replied, &on_replied},
    {kind::k_parsed, &on_parsed},
    {kind::k_answered, &on_answered},
    {kind::k_built, &on_built},
    {kind::k_labelled, &on_labelled},
    {kind::k_profiled, &on_profiled},
    {kind::k_read, &on_read},
    {kind::k_measured, &on_nothing},
    {kind::k_faulted, &on_faulted},
    {kind::k_judged, &on_judged},
    {kind::k_rejected, &on_rejected},
    {kind::k_decision, &on_decision},
    {kind::k_tabled, &on_tabled},
    {kind::k_audited, &on_audited},
    {kind::k_finished, &on_finished},
    {kind::k_reopened, &on_reopened},
});

Result<Change> dispatch(const RunState& state, const Event& event) {
  for (const auto& [name, handler] : k_handlers) {
    if (name == event.kind) return handler(state, event);
  }
  return input_error("unknown kind of event '" + event.kind + "'", "", "update Cupel");
}

}  // namespace

const OpenProposal* find_open(const RunState& state, std::string_view proposal_id) {
  for (const OpenProposal& open : state.open) {
    if (open.proposal.id == proposal_id) return &open;
  }
  return nullptr;
}

Result<Change> change_by(const RunState& state, const Event& event) {
  Result<Change> change = dispatch(state, event);
  if (!change) {
    change.error().where = "event " + std::to_string(event.seq) + " (" + event.kind +
                           ") of the journal in " + state.record.directory;
    return change;
  }
  return [kind = event.kind, wall_ns = event.wall_ns, then = std::move(*change)](RunState& next) {
    add_time(next, kind, wall_ns);
    then(next);
  };
}

Status apply(RunState& state, const Event& event) {
  CUPEL_TRY(const Change change, change_by(state, event));
  change(state);
  return {};
}

}  // namespace cupel::journal
