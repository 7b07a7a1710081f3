// Where work is done while the loop decides: questions to LLMs, builds, measurements. The loop
// starts a piece of work and takes completions, one at a time; it cannot tell threads from a
// simulation.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "engine/doors/evaluator.h"
#include "model/candidate.h"
#include "model/exchange.h"

namespace cupel::engine {

struct Built {
  Status status;  // an Error is ours
  double seconds = 0;
};

struct Measured {
  Result<Judgement> judgement;
  double seconds = 0;
};

// Several programs that were judged side by side.
struct MeasuredBeside {
  std::vector<std::string> subjects;
  Result<std::vector<Judgement>> judgements;  // one a subject
  double seconds = 0;                         // of all of them
};

// Evaluator::profile() of a program; of eager where the id is empty.
struct Profiled {
  std::string candidate_id;
  Result<Profile> profile;
};

// Evaluator::labels() of several programs.
struct LabelledPrograms {
  std::vector<std::string> candidate_ids;
  Result<std::vector<std::vector<Label>>> labels;  // a list each
};

// One piece of work that ended.
struct Completion {
  std::string subject;  // the proposal's id, or the table's subject; of several, the first
  std::variant<Reply, Built, Measured, MeasuredBeside, Profiled, LabelledPrograms> outcome;
};

// Used by one thread. Work that was started and not taken when a Lanes dies is waited for and
// dropped.
class Lanes {
 public:
  virtual ~Lanes() = default;

  // Whether a lane has room now. Where building would disturb measuring, one excludes the other.
  virtual bool can_ask(Tier tier) const = 0;
  virtual bool can_build() const = 0;
  virtual bool can_measure() const = 0;

  // Each needs room in its lane.
  virtual void ask(const Prompt& prompt) = 0;
  virtual void build(const std::string& subject, const Candidate& candidate) = 0;
  virtual void measure(const std::string& subject, const std::vector<Candidate>& programs) = 0;
  // A measurement too: Evaluator::audit().
  virtual void audit(const std::string& subject, const Candidate& program) = 0;

  virtual void measure_beside(const std::vector<std::string>& subjects,
                              const std::vector<Candidate>& programs) = 0;

  // A measurement too; without a program of eager.
  virtual void profile(const std::string& subject, const std::optional<Candidate>& program) = 0;

  // So is this, though nothing runs: the referee is the evaluator's.
  virtual void label(const std::string& subject, const std::vector<Candidate>& programs) = 0;

  // Waits for the next completion, `seconds_max` at most. Nothing if the time is up, if the user
  // asked to stop (before cancel_asks() was called), or if nothing is under way.
  virtual std::optional<Completion> next(double seconds_max) = 0;

  // Questions under way come back soon, as failed ones with what they cost.
  virtual void cancel_asks() = 0;
};

}  // namespace cupel::engine
