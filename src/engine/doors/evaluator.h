// The engine's door to building, measuring and judging. Behind it stand real hosts, or, in
// tests, a script: the engine cannot tell.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/candidate.h"
#include "model/evidence.h"
#include "model/graph.h"
#include "model/label.h"
#include "model/profile.h"
#include "model/task.h"
#include "model/verdict.h"

namespace cupel::engine {

struct Judgement {
  Evidence evidence;
  std::vector<Verdict> verdicts;  // one per program asked for, in order; ratios[0] is over eager,
                                  // further ratios over the rivals of the same round
};

// What linting gave: facts and the admission.
struct Admitted {
  TaskFacts facts;
  Admission admission;
};

// One task's evaluator. Not thread-safe: one holder per device.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  // Opens and lints the task. Called once, before judge(). A task that cannot be judged at all
  // is an input error; a degenerate one is admitted with its reasons.
  virtual Result<Admitted> admit() = 0;

  // Takes up an admission from the journal instead of linting again (resume).
  virtual Status readmit(const Admitted& admitted) = 0;

  // Compiles what the candidate asks for when it is imported and constructed, in a jail without
  // the device, so that judging finds it in the cache. Thread-safe, also beside judge(). What is
  // wrong with the candidate is left for judge() to say; an Error is ours. By default: nothing.
  virtual Status prebuild(const Candidate& program);

  // The task's program as a graph of operators, or why there is none. Opens the task if nothing has
  // yet. By default there is none.
  virtual Result<GraphExport> graph();

  // Whether profile() tells anything.
  virtual bool can_profile() const { return false; }
  // Where the time of a program's calls goes; nullptr: of the task's own, eager, which also says
  // what the machine does. Opens the task if nothing has yet. Profile::problem says what is wrong
  // with a program; an Error is ours. By default there is none.
  virtual Result<Profile> profile(const Candidate* program);

  // Whether labels() tells anything.
  virtual bool can_label() const { return false; }
  // What a reader of each program should know, before it is judged; none of them runs. An Error is
  // ours. By default there is none.
  virtual Result<std::vector<std::vector<Label>>> labels(const std::vector<Candidate>& programs);

  // Judges programs against eager in one round; all ratios come from that round. A candidate
  // that fails is a verdict, never an Error; an Error means that the round could not be run.
  virtual Result<Judgement> judge(const std::vector<Candidate>& programs) = 0;

  // How many programs judge_beside() is best asked for at once: 1 where judging them side by side
  // saves nothing. Needs an admission.
  virtual int programs_beside() const { return 1; }

  // Judges programs that are not compared with each other, one judgement each in their order: where
  // they compile beside each other, all in one round, and what that leaves open alone. By default:
  // one after the other. An Error means that no round could be run.
  virtual Result<std::vector<Judgement>> judge_beside(const std::vector<Candidate>& programs);

  // The winner's audit: a candidate is judged once more before it is reported as the best, in a
  // sitting of its own (other seeds, weights, processes), beside two references, so that none that
  // it slowed down counts (judge/audit/audit.h), and watched for longer (judge/audit/endurance.h).
  // The one verdict takes the place of the earlier one. Errors as of judge(). By default: judge().
  virtual Result<Judgement> audit(const Candidate& program);
};

}  // namespace cupel::engine
