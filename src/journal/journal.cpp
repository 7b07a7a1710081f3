#include "journal/journal.h"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "journal/database.h"
#include "journal/lock.h"
#include "journal/reader.h"

namespace cupel::journal {

struct Journal::Parts {
  std::filesystem::path directory;
  const Clock* clock;
  RunLock lock;
  Database database;
  RunState state;
  std::function<Status(std::string_view)> listener;
  std::function<void(int)> kept_listener;
  bool gathering = false;
  int gathered = 0;  // appends since gather()

  Event event(std::string_view kind, std::string subject, std::string body) const {
    return {0, clock->wall_ns(), std::string(kind), std::move(subject), std::move(body)};
  }

  // What the events do to the state is found out first: what cannot be read back must not be
  // written. Events of one append do not build upon each other.
  Status append(std::vector<Event> events) {
    if (listener) CUPEL_TRY_STATUS(listener(events.back().kind));
    std::vector<Change> changes;
    for (const Event& each : events) {
      CUPEL_TRY(Change change, change_by(state, each));
      changes.push_back(std::move(change));
    }
    CUPEL_TRY_STATUS(database.append(events));
    for (const Change& change : changes) change(state);
    ++gathered;
    if (!gathering) tell_kept();
    return {};
  }

  void tell_kept() {
    if (kept_listener) kept_listener(gathered);
    gathered = 0;
  }

  Status keep() {
    CUPEL_TRY_STATUS(database.keep());
    gathering = false;
    tell_kept();
    return {};
  }

  Status append(std::string_view kind, std::string subject, std::string body) {
    return append({event(kind, std::move(subject), std::move(body))});
  }

  // Something bulky, and what it is about: they become true together and at one time, so that
  // readers that leave the bulk out see the same time pass.
  Status append_with(std::string_view bulk_kind, std::string bulk, std::string_view kind,
                     std::string subject, std::string body) {
    Event bulky = event(bulk_kind, subject, std::move(bulk));
    Event outcome = event(kind, std::move(subject), std::move(body));
    bulky.wall_ns = outcome.wall_ns;
    return append({std::move(bulky), std::move(outcome)});
  }

  Status append_measured(const Evidence& evidence, std::string_view kind, std::string subject,
                         std::string body) {
    return append_with(kind::k_measured, encode(evidence), kind, std::move(subject),
                       std::move(body));
  }
};

Journal::Journal(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Journal::~Journal() = default;
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;

Result<Journal> Journal::open(const std::filesystem::path& run_dir, const Clock& clock) {
  CUPEL_TRY_STATUS(make_directories(run_dir));
  CUPEL_TRY(RunLock lock, RunLock::take(run_dir));
  CUPEL_TRY(Database database, Database::open_for_append(journal_file(run_dir)));
  CUPEL_TRY(RunState state, fold(run_dir, database));
  return Journal(std::make_unique<Parts>(
      Parts{run_dir, &clock, std::move(lock), std::move(database), std::move(state), nullptr}));
}

Result<Journal> Journal::reopen(const std::filesystem::path& run_dir, const Clock& clock) {
  if (!holds_run(run_dir)) {
    return input_error("there is no run in this directory", run_dir.string(),
                       "name a run's directory or id");
  }
  CUPEL_TRY(Journal journal, open(run_dir, clock));
  if (!journal.state().started) {
    return input_error("this run ended before it began", run_dir.string(), "start it again");
  }
  return journal;
}

const std::filesystem::path& Journal::directory() const {
  return parts_->directory;
}
const Clock& Journal::clock() const {
  return *parts_->clock;
}
const RunState& Journal::state() const {
  return parts_->state;
}

double Journal::elapsed_s() const {
  const RunState& state = parts_->state;
  if (state.sittings == 0) return 0;
  const auto since = parts_->clock->wall_ns() - state.last_wall_ns;
  return state.record.wall_s + static_cast<double>(std::max<std::int64_t>(0, since)) / k_ns_per_s;
}

void Journal::gather() {
  parts_->database.gather();
  parts_->gathering = true;
}

Status Journal::keep() {
  return parts_->keep();
}

Status Journal::begin_sitting() {
  return parts_->append(kind::k_sitting_started, "",
                        "{\"process\":" + std::to_string(::getpid()) + "}");
}

Status Journal::end_sitting(const std::string& why) {
  CUPEL_TRY_STATUS(
      parts_->append(kind::k_sitting_ended, "", encode(Decision{"sitting_ended", why, ""})));
  CUPEL_TRY_STATUS(parts_->keep());
  return parts_->database.checkpoint();
}

Status Journal::start(const RunStarted& body) {
  return parts_->append(kind::k_run_started, "", encode(body));
}

Status Journal::admit(const TaskAdmitted& body) {
  return parts_->append(kind::k_admitted, "", encode(body));
}

Status Journal::propose(const Proposed& body) {
  return parts_->append(kind::k_proposed, body.proposal.id, encode(body));
}

Status Journal::recall(const LessonsRecalled& body) {
  return parts_->append(kind::k_recalled, "", encode(body));
}

Status Journal::propose(const std::vector<Proposed>& step) {
  std::vector<Event> events;
  for (const Proposed& body : step) {
    events.push_back(parts_->event(kind::k_proposed, body.proposal.id, encode(body)));
  }
  return events.empty() ? Status() : parts_->append(std::move(events));
}

Status Journal::ask(const ProposalAsked& body, const Prompt& prompt) {
  return parts_->append_with(kind::k_prompted, encode(prompt), kind::k_asked, body.proposal_id,
                             encode(body));
}

Status Journal::reply(const ProposalReplied& body) {
  return parts_->append(kind::k_replied, body.proposal_id, encode(body));
}

Status Journal::parse(const ProposalParsed& body) {
  return parts_->append(kind::k_parsed, body.proposal_id, encode(body));
}

Status Journal::answer(const ProposalAnswered& body) {
  return parts_->append(kind::k_answered, body.proposal_id, encode(body));
}

Status Journal::build(const ProposalBuilt& body) {
  return parts_->append(kind::k_built, body.proposal_id, encode(body));
}

Status Journal::profile(const Profile& body) {
  return parts_->append(kind::k_profiled, body.candidate_id, encode(body));
}

Status Journal::label(const Labelled& body) {
  return parts_->append(kind::k_labelled, body.candidate_id, encode(body));
}

Status Journal::read(const ProgramRead& body) {
  return parts_->append(kind::k_read, body.proposal_id, encode(body));
}

Status Journal::judge_unmeasured(const ProposalJudged& body) {
  return parts_->append(kind::k_judged, body.proposal_id, encode(body));
}

Status Journal::judge(const ProposalJudged& body, const Evidence& evidence) {
  return parts_->append_measured(evidence, kind::k_judged, body.proposal_id, encode(body));
}

Status Journal::fault(const ProposalJudged& body, const Evidence& evidence) {
  return parts_->append_measured(evidence, kind::k_faulted, body.proposal_id, encode(body));
}

Status Journal::reject(const ProposalRejected& body) {
  return parts_->append(kind::k_rejected, body.proposal_id, encode(body));
}

Status Journal::decide(const Decision& body) {
  return parts_->append(kind::k_decision, body.about, encode(body));
}

Status Journal::table(const FinalTable& table, const Evidence& evidence) {
  return parts_->append_measured(evidence, kind::k_tabled, std::string(k_table_subject),
                                 encode(table));
}

Status Journal::fault_table(const std::string& why, const Evidence& evidence) {
  return parts_->append_measured(evidence, kind::k_faulted, std::string(k_table_subject),
                                 encode(Decision{"table_fault", why, ""}));
}

Status Journal::audit(const WinnerAudit& body, const Evidence& evidence) {
  return parts_->append_measured(evidence, kind::k_audited, body.candidate_id, encode(body));
}

Status Journal::fault_audit(const std::string& why, const Evidence& evidence) {
  return parts_->append_measured(evidence, kind::k_faulted, std::string(k_audit_subject),
                                 encode(Decision{"audit_fault", why, ""}));
}

Status Journal::reopen_finished() {
  return parts_->append(kind::k_reopened, "", "{}");
}

Status Journal::finish(const RunFinished& body) {
  // A run ends once, and once more each time that it was opened again.
  const RunState& state = parts_->state;
  std::string subject = state.reopened ? std::to_string(state.sittings) : "";
  return parts_->append(kind::k_finished, std::move(subject), encode(body));
}

void Journal::on_kept(std::function<void(int appends)> listener) {
  parts_->kept_listener = std::move(listener);
}

void Journal::on_append(std::function<Status(std::string_view kind)> listener) {
  parts_->listener = std::move(listener);
}

}  // namespace cupel::journal
