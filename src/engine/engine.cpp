#include "engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "base/files.h"
#include "engine/final_round.h"
#include "engine/winner_file.h"
#include "propose/portfolio.h"
#include "search/choice.h"
#include "search/portfolio.h"

namespace cupel::engine {
namespace {

std::vector<Seed> seeds_for(const RunRequest& request, const TaskFacts& facts) {
  if (request.seed_source) return request.seed_source(facts);
  const RunOptions& options = request.options;
  return propose::portfolio(request.task, facts, options.policy, options.effort, options.device);
}

// One sitting on one run. All that it knows between stages is in the journal's state.
class Sitting {
 public:
  Sitting(Evaluator& evaluator, journal::Journal& journal, ProgressSink& progress,
          const StopFlag& stop)
      : evaluator_(evaluator), journal_(journal), progress_(progress), stop_(stop) {}

  Status begin(const RunRequest& request);
  Status all_stages(const RunRequest& request);
  Status end(const Status& outcome);

 private:
  const journal::RunState& state() const { return journal_.state(); }
  bool stopped() const { return stop_.raised(); }

  Status admit(const RunRequest& request);
  Status propose();
  Status decide();
  Status judge();
  Status final_table();
  Status ship();

  Status propose(const search::Draft& draft);
  Status note_skips(const std::vector<search::Skip>& skips);
  Status close_duplicates();
  Status close_unaffordable();
  Status note_lead();
  Status keep_verdict(const ProposalJudged& body, const Evidence& evidence, int faults);
  Status hold_final_round();
  bool is_decided(const std::string& what, const std::string& about) const;
  double seconds_left() const;
  double search_seconds_left() const;
  void show(Stage stage, const std::string& subject = "");

  Evaluator& evaluator_;
  journal::Journal& journal_;
  ProgressSink& progress_;
  const StopFlag& stop_;
};

Status Sitting::begin(const RunRequest& request) {
  if (state().started && state().record.task.id != request.task.id) {
    return input_error("this run is about another task, '" + state().record.task.name + "'",
                       journal_.directory().string(), "start a new run");
  }
  CUPEL_TRY_STATUS(journal_.begin_sitting());
  if (state().started) return {};
  return journal_.start(request);
}

Status Sitting::all_stages(const RunRequest& request) {
  CUPEL_TRY_STATUS(admit(request));  // lint the task, or take up what the journal says about it
  while (!stopped()) {
    CUPEL_TRY_STATUS(propose());  // the strategy's next candidates
    CUPEL_TRY_STATUS(decide());   // note the leader; close what need not or cannot be judged
    if (state().open.empty()) break;
    CUPEL_TRY_STATUS(judge());  // one round: evidence and verdict
  }
  CUPEL_TRY_STATUS(final_table());  // all that matter, measured side by side in one round
  return ship();                    // the winner's file
}

// Errors while closing a sitting that failed are those that made it fail.
Status Sitting::end(const Status& outcome) {
  if (!outcome) {
    static_cast<void>(journal_.end_sitting(outcome.error().describe()));
    return outcome;
  }
  return journal_.end_sitting(state().record.finished ? "finished" : "stopped on request");
}

Status Sitting::admit(const RunRequest& request) {
  show(Stage::admit, state().record.task.name);
  if (state().admitted) {
    const Status readmitted = evaluator_.readmit({state().record.facts, state().record.admission});
    return stopped() ? Status() : readmitted;
  }
  Result<Admitted> admitted = evaluator_.admit();
  if (stopped()) return {};
  if (!admitted) return fail(std::move(admitted).error());
  std::vector<Seed> seeds = seeds_for(request, admitted->facts);
  return journal_.admit(
      {std::move(admitted->facts), std::move(admitted->admission), std::move(seeds)});
}

Status Sitting::propose() {
  show(Stage::propose);
  std::vector<Proposal> pending;
  std::vector<Proposal> rejected;
  for (const auto& open : state().open) pending.push_back(open.proposal);
  for (const auto& closed : state().rejected) rejected.push_back(closed.proposal);
  const search::Portfolio strategy(state().start.files, state().seeds);
  // The draws depend on the run's seed and on how far it is, not on how often it was resumed.
  Rng rng =
      Rng(state().record.options.seed).fork(static_cast<std::uint64_t>(state().proposals_made));
  const search::Step step = strategy.next({state().record.judged, pending, rejected, {}},
                                          {.seconds_left = search_seconds_left()}, rng);
  for (const search::Draft& draft : step.drafts) CUPEL_TRY_STATUS(propose(draft));
  return note_skips(step.skips);
}

Status Sitting::propose(const search::Draft& draft) {
  Proposal proposal = draft.proposal;
  proposal.id = fmt::format("p{:04}", state().proposals_made + 1);
  return journal_.propose(
      {std::move(proposal), make_candidate(draft.source, draft.candidate_label)});
}

Status Sitting::note_skips(const std::vector<search::Skip>& skips) {
  for (const search::Skip& skip : skips) {
    if (is_decided("skip", skip.label)) continue;
    CUPEL_TRY_STATUS(journal_.decide({"skip", skip.why, skip.label}));
    progress_.on_note(skip.label + " is skipped: " + skip.why);
  }
  return {};
}

// Every decision follows from the journal, so that a resumed run decides the same.
Status Sitting::decide() {
  CUPEL_TRY_STATUS(note_lead());
  CUPEL_TRY_STATUS(close_duplicates());
  return close_unaffordable();
}

Status Sitting::note_lead() {
  const Judged* fastest = search::choose(state().record.judged, {}).fastest;
  if (!fastest || is_decided("lead", fastest->candidate.id)) return {};
  return journal_.decide({"lead",
                          fastest->proposal.id + " " + fastest->candidate.label +
                              " leads: " + fastest->verdict.headline(),
                          fastest->candidate.id});
}

Status Sitting::close_duplicates() {
  std::set<std::string> known;
  for (const Judged& judged : state().record.judged) known.insert(judged.candidate.id);
  const auto open = state().open;
  for (const journal::OpenProposal& entry : open) {
    if (known.insert(entry.candidate.id).second) continue;
    CUPEL_TRY_STATUS(journal_.reject(
        {entry.proposal.id, entry.candidate.id, "the same program was proposed before"}));
  }
  return {};
}

Status Sitting::close_unaffordable() {
  if (state().open.empty() || search_seconds_left() > 0) return {};
  const std::string why = fmt::format("the budget of {:g} min is spent, the final round counted",
                                      state().record.options.minutes_max);
  if (!is_decided("stop", "")) CUPEL_TRY_STATUS(journal_.decide({"stop", why, ""}));
  progress_.on_note(fmt::format("{}; {} programs are not judged", why, state().open.size()));
  const auto open = state().open;
  for (const journal::OpenProposal& entry : open) {
    CUPEL_TRY_STATUS(journal_.reject({entry.proposal.id, entry.candidate.id, why}));
  }
  return {};
}

// What a stop interrupts is dropped: the terminal's signal may have killed a host as well, and
// the candidate must not be blamed for that.
Status Sitting::judge() {
  const journal::OpenProposal open = state().open.front();
  show(Stage::judge, open.candidate.label);
  const std::int64_t began_ns = journal_.clock().now_ns();
  Result<Judgement> judgement = judge_or_fault(evaluator_, {open.candidate});
  if (stopped()) return {};
  if (!judgement) return fail(std::move(judgement).error());
  const double seconds = static_cast<double>(journal_.clock().now_ns() - began_ns) / k_ns_per_s;
  return keep_verdict({open.proposal.id, open.candidate.id, judgement->verdicts.front(), seconds},
                      judgement->evidence, open.faults);
}

Status Sitting::keep_verdict(const ProposalJudged& body, const Evidence& evidence, int faults) {
  if (body.verdict.outcome == Outcome::infra_fault && faults < k_infra_retries) {
    progress_.on_note(body.verdict.label + " is tried once more: " + body.verdict.headline());
    return journal_.fault(body, evidence);
  }
  CUPEL_TRY_STATUS(journal_.judge(body, evidence));
  progress_.on_judged(state().record.judged.back());
  return {};
}

Status Sitting::final_table() {
  while (!stopped() && needs_final_round(state())) {
    show(Stage::final_table);
    CUPEL_TRY_STATUS(hold_final_round());
  }
  return {};
}

Status Sitting::hold_final_round() {
  const FinalPlan plan = plan_final(state(), state().tables.size());
  const std::vector<Candidate> programs = programs_of(plan);
  Result<Judgement> outcome =
      programs.empty() ? Result<Judgement>{} : judge_or_fault(evaluator_, programs);
  if (stopped()) return {};
  CUPEL_TRY(const Judgement judgement, std::move(outcome));
  const std::string fault = fault_in(judgement);
  if (!fault.empty() && state().table_faults < k_infra_retries) {
    progress_.on_note("the final table is measured once more: " + fault);
    return journal_.fault_table(fault, judgement.evidence);
  }
  if (!judgement.evidence.infra_fault.empty()) {
    return infra_error("the final table could not be measured: " + fault, "", "resume the run");
  }
  return journal_.table(make_table(plan, judgement), judgement.evidence);
}

Status Sitting::ship() {
  if (stopped()) return {};
  show(Stage::ship);
  const FinalPlan plan = plan_final(state(), state().tables.size() - 1);
  const search::Settlement settled = settle(plan, state().record.table);
  if (!is_decided("winner", settled.winner_id)) {
    CUPEL_TRY_STATUS(journal_.decide({"winner", settled.why, settled.winner_id}));
  }
  RunFinished body{settled.winner_id, ""};
  if (!settled.winner_id.empty()) {
    body.winner_file = k_winner_file;
    CUPEL_TRY_STATUS(write_file_atomic(journal_.directory() / k_winner_file,
                                       winner_text(state().record, settled.winner_id)));
  }
  CUPEL_TRY_STATUS(journal_.finish(body));
  show(Stage::done);
  return {};
}

bool Sitting::is_decided(const std::string& what, const std::string& about) const {
  return std::any_of(state().decisions.begin(), state().decisions.end(), [&](const Decision& made) {
    return made.what == what && made.about == about;
  });
}

double Sitting::seconds_left() const {
  const double minutes_max = state().record.options.minutes_max;
  if (minutes_max <= 0) return std::numeric_limits<double>::infinity();
  return std::max(0.0, minutes_max * 60 - journal_.elapsed_s());
}

// The final round belongs to the budget: what it will take is kept back from the search.
double Sitting::search_seconds_left() const {
  return std::max(0.0, seconds_left() - final_round_s(state()));
}

double expected_compile_s(const journal::RunState& state, const Proposal& proposal) {
  for (const Seed& seed : state.seeds) {
    const bool same = proposal.kind == Proposal::Kind::seed && proposal.label == seed.name;
    if (same) return seed.expected_compile_s;
  }
  return 0;
}

// What is open, at its compilation and what judging took beside it so far; and the final round.
double rough_eta_s(const journal::RunState& state, double search_seconds_left) {
  if (state.record.finished) return 0;
  if (state.record.judged.empty()) return -1;
  double beside_s = 0;
  for (const Judged& judged : state.record.judged) {
    beside_s += std::max(0.0, judged.seconds - expected_compile_s(state, judged.proposal));
  }
  beside_s /= static_cast<double>(state.record.judged.size());
  double searching_s = 0;
  for (const journal::OpenProposal& open : state.open) {
    searching_s += beside_s + expected_compile_s(state, open.proposal);
  }
  return std::min(searching_s, search_seconds_left) + final_round_s(state);
}

void Sitting::show(Stage stage, const std::string& subject) {
  Progress progress;
  progress.stage = stage;
  progress.subject = subject;
  progress.judged = static_cast<int>(state().record.judged.size());
  progress.planned = progress.judged + static_cast<int>(state().open.size());
  if (const Judged* fastest = search::choose(state().record.judged, {}).fastest) {
    progress.best_label = fastest->candidate.label;
    progress.best = fastest->verdict.ratios.front();
  }
  progress.elapsed_s = journal_.elapsed_s();
  progress.eta_s = rough_eta_s(state(), search_seconds_left());
  progress_.on_progress(progress);
}

}  // namespace

Result<RunRecord> run(const RunRequest& request, Evaluator& evaluator, journal::Journal& journal,
                      ProgressSink& progress, const StopFlag& stop) {
  if (journal.state().record.finished) return journal.state().record;
  Sitting sitting(evaluator, journal, progress, stop);
  CUPEL_TRY_STATUS(sitting.begin(request));
  CUPEL_TRY_STATUS(sitting.end(sitting.all_stages(request)));
  return journal.state().record;
}

Result<RunRecord> resume(Evaluator& evaluator, journal::Journal& journal, ProgressSink& progress,
                         const StopFlag& stop) {
  const RunRequest request{journal.state().start, {}};
  if (!journal.state().started) {
    return input_error("this run ended before it began", journal.directory().string(),
                       "start it again");
  }
  return run(request, evaluator, journal, progress, stop);
}

}  // namespace cupel::engine
