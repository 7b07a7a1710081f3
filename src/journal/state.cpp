#include "journal/state.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace cupel::journal {
namespace {

// Between two sittings nobody worked; a clock that was set back counts as no time.
void add_time(RunState& state, const Event& event) {
  if (event.kind != kind::k_sitting_started && state.events > 0) {
    state.record.wall_s +=
        static_cast<double>(std::max<std::int64_t>(0, event.wall_ns - state.last_wall_ns)) / 1e9;
  }
  state.last_wall_ns = event.wall_ns;
  ++state.events;
}

Result<OpenProposal> take_open(RunState& state, const std::string& proposal_id) {
  const auto found =
      std::find_if(state.open.begin(), state.open.end(),
                   [&](const OpenProposal& open) { return open.proposal.id == proposal_id; });
  if (found == state.open.end()) return input_error("no open proposal '" + proposal_id + "'");
  OpenProposal taken = std::move(*found);
  state.open.erase(found);
  return taken;
}

Status on_sitting_started(RunState& state, const Event&) {
  ++state.sittings;
  return {};
}

Status on_nothing(RunState&, const Event&) {
  return {};
}

Status on_run_started(RunState& state, const Event& event) {
  CUPEL_TRY(state.start, decode_run_started(event.body));
  state.started = true;
  state.record.run_id = state.start.run_id;
  state.record.task = state.start.task;
  state.record.options = state.start.options;
  state.record.started_wall_ns = event.wall_ns;
  return {};
}

Status on_admitted(RunState& state, const Event& event) {
  CUPEL_TRY(TaskAdmitted body, decode_task_admitted(event.body));
  state.admitted = true;
  state.record.facts = std::move(body.facts);
  state.record.admission = std::move(body.admission);
  state.seeds = std::move(body.seeds);
  return {};
}

Status on_proposed(RunState& state, const Event& event) {
  CUPEL_TRY(Proposed body, decode_proposed(event.body));
  state.open.push_back({std::move(body.proposal), std::move(body.candidate), 0});
  ++state.proposals_made;
  return {};
}

Status on_faulted(RunState& state, const Event& event) {
  if (event.subject == k_table_subject) {
    ++state.table_faults;
    return {};
  }
  for (OpenProposal& open : state.open) {
    if (open.proposal.id != event.subject) continue;
    ++open.faults;
    return {};
  }
  return input_error("no open proposal '" + event.subject + "'");
}

Status on_judged(RunState& state, const Event& event) {
  CUPEL_TRY(ProposalJudged body, decode_proposal_judged(event.body));
  CUPEL_TRY(OpenProposal open, take_open(state, event.subject));
  state.record.judged.push_back(
      {std::move(open.proposal), std::move(open.candidate), std::move(body.verdict), body.seconds});
  return {};
}

Status on_rejected(RunState& state, const Event& event) {
  CUPEL_TRY(ProposalRejected body, decode_proposal_rejected(event.body));
  CUPEL_TRY(OpenProposal open, take_open(state, event.subject));
  state.rejected.push_back(
      {std::move(open.proposal), std::move(open.candidate), std::move(body.why)});
  return {};
}

Status on_decision(RunState& state, const Event& event) {
  CUPEL_TRY(Decision decision, decode_decision(event.body));
  state.decisions.push_back(std::move(decision));
  return {};
}

Status on_tabled(RunState& state, const Event& event) {
  CUPEL_TRY(FinalTable table, decode_final_table(event.body));
  state.record.table = table;
  state.tables.push_back(std::move(table));
  state.table_faults = 0;
  return {};
}

Status on_finished(RunState& state, const Event& event) {
  CUPEL_TRY(RunFinished body, decode_run_finished(event.body));
  state.record.winner_id = std::move(body.winner_id);
  if (!body.winner_file.empty()) {
    const std::filesystem::path directory = state.record.directory;
    state.record.winner_path = (directory / body.winner_file).string();
  }
  state.record.finished = true;
  return {};
}

using Handler = Status (*)(RunState&, const Event&);
constexpr std::array<std::pair<std::string_view, Handler>, 12> k_handlers{{
    {kind::k_sitting_started, &on_sitting_started},
    {kind::k_sitting_ended, &on_nothing},
    {kind::k_run_started, &on_run_started},
    {kind::k_admitted, &on_admitted},
    {kind::k_proposed, &on_proposed},
    {kind::k_measured, &on_nothing},
    {kind::k_faulted, &on_faulted},
    {kind::k_judged, &on_judged},
    {kind::k_rejected, &on_rejected},
    {kind::k_decision, &on_decision},
    {kind::k_tabled, &on_tabled},
    {kind::k_finished, &on_finished},
}};

Status dispatch(RunState& state, const Event& event) {
  for (const auto& [name, handler] : k_handlers) {
    if (name == event.kind) return handler(state, event);
  }
  return input_error("unknown kind of event '" + event.kind + "'", "", "update Cupel");
}

}  // namespace

Status apply(RunState& state, const Event& event) {
  add_time(state, event);
  auto outcome = dispatch(state, event);
  if (outcome) return {};
  Error error = std::move(outcome).error();
  error.where = "event " + std::to_string(event.seq) + " (" + event.kind + ") of the journal in " +
                state.record.directory;
  return fail(std::move(error));
}

}  // namespace cupel::journal
