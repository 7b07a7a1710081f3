#include "engine/engine.h"

#include <optional>
#include <utility>

#include "engine/finish/ending.h"
#include "engine/lanes/thread_lanes.h"
#include "engine/own_programs/rewriting.h"
#include "engine/turn/asking.h"
#include "engine/turn/profiling.h"
#include "engine/turn/search_loop.h"
#include "engine/turn/show.h"
#include "propose/seeds/portfolio.h"

namespace cupel::engine {
namespace {

std::vector<Seed> seeds_for(const RunRequest& request, const TaskFacts& facts) {
  if (request.seed_source) return request.seed_source(facts);
  const RunOptions& options = request.options;
  return propose::portfolio(request.task, facts, options.policy, options.effort, options.device);
}

Status check_task(const journal::Journal& journal, const Task& task) {
  const journal::RunState& state = journal.state();
  if (!state.started || state.record.task.id == task.id) return {};
  return input_error("this run is about another task, '" + state.record.task.name + "'",
                     journal.directory().string(), "start a new run");
}

Status begin(Sitting& sitting, const RunRequest& request) {
  const journal::RunState& state = sitting.state();
  CUPEL_TRY_STATUS(sitting.journal.begin_sitting());
  if (!state.started) CUPEL_TRY_STATUS(sitting.journal.start(request));
  if (state.record.finished) CUPEL_TRY_STATUS(sitting.journal.reopen_finished());
  return settle_lost_asks(sitting);
}

Status admit(Sitting& sitting, const RunRequest& request) {
  const journal::RunState& state = sitting.state();
  show(sitting, Stage::admit, state.record.task.name);
  if (state.admitted) {
    const Status readmitted =
        sitting.evaluator.readmit({state.record.facts, state.record.admission});
    return sitting.stopped() ? Status() : readmitted;
  }
  Result<Admitted> admitted = sitting.evaluator.admit();
  if (sitting.stopped()) return {};
  if (!admitted) return fail(std::move(admitted).error());
  std::vector<Seed> seeds = seeds_for(request, admitted->facts);
  if (!request.seed_source) add_rewrites(sitting, *admitted, seeds);
  return sitting.journal.admit(
      {std::move(admitted->facts), std::move(admitted->admission), std::move(seeds)});
}

Status recall(Sitting& sitting) {
  if (sitting.stopped() || sitting.state().recalled || !sitting.agents.recall) return {};
  CUPEL_TRY(std::vector<std::string> lessons, sitting.agents.recall(sitting.state().record));
  return sitting.journal.recall({std::move(lessons)});
}

Status search_for(Sitting& sitting, const RunRequest& request) {
  if (sitting.stopped()) return {};
  CUPEL_TRY(const auto strategy, request.strategy_source ? request.strategy_source(sitting.state())
                                                         : strategy_of(sitting.state()));
  return search(sitting, *strategy);
}

Status all_stages(Sitting& sitting, const RunRequest& request) {
  CUPEL_TRY_STATUS(admit(sitting, request));       // lint the task, or take up what was found
  CUPEL_TRY_STATUS(recall(sitting));               // what earlier runs learned
  CUPEL_TRY_STATUS(search_for(sitting, request));  // proposals to verdicts, until a budget ends
  CUPEL_TRY_STATUS(hold_final_rounds(sitting));    // all that matter side by side, and the audit
  CUPEL_TRY_STATUS(profile_eager(sitting));        // how near the machine's limits it is
  return ship(sitting);                            // the winner's file
}

// Errors while closing a sitting that failed are those that made it fail.
Status end(Sitting& sitting, const Status& outcome) {
  if (!outcome) {
    static_cast<void>(sitting.journal.end_sitting(outcome.error().describe()));
    return outcome;
  }
  return sitting.journal.end_sitting(sitting.state().record.finished ? "finished"
                                                                     : "stopped on request");
}

Result<RunRecord> sit(const RunRequest& request, const Means& means, journal::Journal& journal,
                      ProgressSink& progress, const StopFlag& stop) {
  std::optional<ThreadLanes> threads;
  if (!means.lanes) {
    threads.emplace(thread_lanes_settings(request.options), means.evaluator, means.agents,
                    journal.clock(), stop);
  }
  Lanes& lanes = means.lanes ? *means.lanes : *threads;
  Sitting sitting{means.evaluator, journal, lanes, means.agents, progress, stop};
  CUPEL_TRY_STATUS(begin(sitting, request));
  CUPEL_TRY_STATUS(end(sitting, all_stages(sitting, request)));
  return journal.state().record;
}

}  // namespace

Result<RunRecord> run(const RunRequest& request, const Means& means, journal::Journal& journal,
                      ProgressSink& progress, const StopFlag& stop) {
  CUPEL_TRY_STATUS(check_task(journal, request.task));
  if (journal.state().record.finished) return journal.state().record;
  return sit(request, means, journal, progress, stop);
}

Result<RunRecord> resume(const Means& means, journal::Journal& journal, ProgressSink& progress,
                         const StopFlag& stop) {
  const RunRequest request{journal.state().start, {}, {}};
  if (!journal.state().started) {
    return input_error("this run ended before it began", journal.directory().string(),
                       "start it again");
  }
  const RunRecord& record = journal.state().record;
  if (record.finished && !record.left_programs()) return record;
  return sit(request, means, journal, progress, stop);
}

}  // namespace cupel::engine
