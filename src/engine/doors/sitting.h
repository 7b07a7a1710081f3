// What every stage of a sitting works with. A sitting is one process's time with a run; all that
// it knows between stages is in the journal's state.
#pragma once

#include "base/stop.h"
#include "engine/doors/agents.h"
#include "engine/doors/evaluator.h"
#include "engine/doors/lanes.h"
#include "engine/doors/progress.h"
#include "journal/journal.h"

namespace cupel::engine {

// The referred objects outlive it.
struct Sitting {
  Evaluator& evaluator;  // to admit the task; the lanes use it from then on
  journal::Journal& journal;
  Lanes& lanes;
  const Agents& agents;
  ProgressSink& progress;
  const StopFlag& stop;

  const journal::RunState& state() const { return journal.state(); }
  bool stopped() const { return stop.raised(); }
};

}  // namespace cupel::engine
