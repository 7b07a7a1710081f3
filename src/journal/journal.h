// The append-only log of a run: RUN_DIR/journal.sqlite. Everything is in it; everything else is
// derived. This is the writer's side; reader.h is for everybody else.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "journal/event.h"
#include "journal/state.h"
#include "model/event.h"
#include "model/evidence.h"
#include "model/run.h"

namespace cupel::journal {

// Holds the run's lock while it lives. An append that returned survives kill -9 of this process
// (what a power cut may take: see database.cpp), unless events are being gathered. A failed append
// changes neither the file nor state(). Not thread-safe. `clock` must outlive the journal.
class Journal {
 public:
  // Opens the run's journal, or makes the directory and the journal of a new run.
  // An input error if another process writes this run or the file is not a sound journal.
  static Result<Journal> open(const std::filesystem::path& run_dir, const Clock& clock);
  // The same, but an input error if there is no run to go on with.
  static Result<Journal> reopen(const std::filesystem::path& run_dir, const Clock& clock);
  ~Journal();
  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) noexcept;

  const std::filesystem::path& directory() const;
  const Clock& clock() const;
  // The fold of all events so far.
  const RunState& state() const;
  // Wall time of the run over all sittings, up to now.
  double elapsed_s() const;

  // From here to keep() the events appended are one transaction, and survive kill -9 once keep()
  // has returned. Whoever gathers keeps before anything happens that they tell of. After a keep()
  // that failed state() holds what the file does not, and every append fails.
  void gather();
  Status keep();

  Status begin_sitting();
  // Also has the disk confirm everything so far.
  Status end_sitting(const std::string& why);
  Status start(const RunStarted& body);
  Status admit(const TaskAdmitted& body);
  Status recall(const LessonsRecalled& body);
  Status propose(const Proposed& body);
  // All of them or none: one step of the strategy.
  Status propose(const std::vector<Proposed>& step);
  Status ask(const ProposalAsked& body, const Prompt& prompt);
  Status reply(const ProposalReplied& body);
  Status parse(const ProposalParsed& body);
  Status answer(const ProposalAnswered& body);
  Status build(const ProposalBuilt& body);
  Status profile(const Profile& body);
  Status label(const Labelled& body);
  Status read(const ProgramRead& body);
  // A final verdict, or an infra fault that will be retried, with the evidence behind it.
  Status judge(const ProposalJudged& body, const Evidence& evidence);
  Status fault(const ProposalJudged& body, const Evidence& evidence);
  // A verdict that needs no measurement: the reply held no candidate.
  Status judge_unmeasured(const ProposalJudged& body);
  Status reject(const ProposalRejected& body);
  Status decide(const Decision& body);
  Status table(const FinalTable& table, const Evidence& evidence);
  // A final round that could not be held, or in which a host of ours failed.
  Status fault_table(const std::string& why, const Evidence& evidence);
  Status audit(const WinnerAudit& body, const Evidence& evidence);
  // An audit that could not be made, or in which a host of ours failed.
  Status fault_audit(const std::string& why, const Evidence& evidence);
  Status finish(const RunFinished& body);
  // A finished run goes on: what it left unmeasured is judged, and its end is made again.
  Status reopen_finished();

  // Called before each append with the kind of its event; an error stops that append. Tests
  // crash runs here; a live view may listen here.
  void on_append(std::function<Status(std::string_view kind)> listener);
  // Called when so many further appends survive kill -9.
  void on_kept(std::function<void(int appends)> listener);

 private:
  struct Parts;
  explicit Journal(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace cupel::journal
