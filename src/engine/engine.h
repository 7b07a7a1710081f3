// The loop: propose, judge, decide, and at the end the final table and the file to ship.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "engine/doors/agents.h"
#include "engine/doors/evaluator.h"
#include "engine/doors/lanes.h"
#include "engine/doors/progress.h"
#include "engine/plan/proposing.h"
#include "journal/journal.h"
#include "model/event.h"
#include "model/run.h"

namespace cupel::engine {

// Makes the free portfolio for a task that was admitted. A pure function: the engine keeps what
// it gave in the journal and asks once a run.
using SeedSource = std::function<std::vector<Seed>(const TaskFacts& facts)>;

// What to run. All but the sources is the journal's first event.
struct RunRequest : RunStarted {
  SeedSource seed_source = {};          // empty: propose::portfolio for the task's options
  StrategySource strategy_source = {};  // empty: strategy_of()
};

// What a run is made with. The referred objects outlive it. An evaluator alone will do for a run
// without agents.
struct Means {
  // NOLINTNEXTLINE: implicit on purpose
  Means(Evaluator& an_evaluator) : evaluator(an_evaluator) {}
  Means(Evaluator& an_evaluator, Agents some_agents, Lanes* some_lanes = nullptr)
      : evaluator(an_evaluator), agents(std::move(some_agents)), lanes(some_lanes) {}

  Evaluator& evaluator;
  Agents agents;
  Lanes* lanes = nullptr;  // null: threads
};

// Runs from where the journal stands: a new run begins, an interrupted one goes on. Proposals
// with a verdict are not judged again; one that was in flight is. A finished run is returned as
// it is. Returns the record; `finished` is false if `stop` was raised.
//
// An Error ends the sitting, never the run: the task cannot be judged (input), the evaluator or
// the disk failed (environment, infra). The journal keeps all that was done.
//
// The final table has a row a role: eager; torch.compile, with its earlier verdict if that was
// a failure, absent if it was not judged; the best free variant, absent if no seed beats eager;
// the winner, absent if nothing does; a runner-up where the fastest program did not win; and those
// that failed their audits. The winner's ratio over eager is that of its audit. A program with two
// roles is measured once and has two rows.
Result<RunRecord> run(const RunRequest& request, const Means& means, journal::Journal& journal,
                      ProgressSink& progress, const StopFlag& stop = StopFlag());

// Goes on with a run that the journal holds; a finished one that left bought programs unmeasured
// judges them, and ends anew. Its seeds are those of propose::portfolio if it
// ended before it had any.
Result<RunRecord> resume(const Means& means, journal::Journal& journal, ProgressSink& progress,
                         const StopFlag& stop = StopFlag());

}  // namespace cupel::engine
