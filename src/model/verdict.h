// What follows from evidence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/task.h"

namespace cupel {

enum class Outcome {
  faster,
  same,
  slower,
  ambiguous,
  wrong,
  suspect,
  impossible,
  build_error,
  runtime_error,
  timeout,
  out_of_memory,
  invalid_reply,
  degenerate,  // the task tells nothing of any program
  infra_fault,
};
std::string_view to_string(Outcome outcome);
Result<Outcome> parse_outcome(std::string_view text);
// faster, same, slower or ambiguous: computes the same thing.
bool is_correct(Outcome outcome);

enum class Fault { nobody, candidate, reference, us };
std::string_view to_string(Fault fault);

// Why: a code that tools match on, a sentence for people, and the number behind it.
// Codes are listed in docs/codes.md; wrong: shape, dtype, structure, type, value, nan, range,
// nondeterministic, mutated_input, weights; suspect: clock, late_write, ...
struct Reason {
  std::string code;
  std::string text;
  double value = 0;
  double limit = 0;
};

// Speedup of the candidate over `over`: time(over) / time(candidate), with a 95 % interval.
struct Ratio {
  std::string over;  // label of the other program
  std::string over_id;
  double ratio = 0;
  double low = 0;
  double high = 0;
  double candidate_ms = 0;  // median of a call
  double over_ms = 0;
  int pairs = 0;
  // Faster by all that the judge asks of a gain over the baseline; a rival's interval alone says
  // less.
  bool proven = true;
};

// The metric that does not decide where this one does.
Metric other(Metric metric);

// The code of a reason that every verdict on such a task bears.
inline constexpr std::string_view k_degenerate_task = "degenerate_task";

struct Verdict {
  std::string candidate_id;
  std::string label;
  Outcome outcome = Outcome::infra_fault;
  Fault fault = Fault::nobody;
  std::vector<Reason> reasons;      // the first decides
  Metric metric = Metric::latency;  // that decided, and whose ratios these are
  std::vector<Ratio> ratios;        // [0] against the baseline; empty when nothing was timed
  // By the other metric, over those of the same programs for which it is known. Decides nothing.
  std::vector<Ratio> other_ratios;
  // Of the device's own time, as hosts tell it (see QueuedSample), over those of the same programs
  // whose calls could be queued. Decides nothing.
  std::vector<Ratio> device_ratios;
  double error_rms = 0;  // worst over the checked calls, in spreads of the oracle
  double error_max = 0;
  bool close_1e2 = false;  // plain allclose on every call, as other evaluators have it
  bool close_1e4 = false;
  int checked_calls = 0;
  std::string feedback;  // the smallest evidence that helps to mend the candidate

  // "wrong(range)", "faster 1.42x [1.40, 1.44]"; on a task that cannot tell right programs from
  // wrong ones "degenerate task, faster 1.42x [1.40, 1.44]".
  std::string headline() const;
  // The task's lint says that nothing is proven by being right on it.
  bool on_degenerate_task() const;
  // Of device_ratios the one over the baseline; nullptr where it is unknown.
  const Ratio* device_ratio() const;
  // The same of other_ratios.
  const Ratio* other_ratio() const;
};

std::string encode(const Verdict& verdict);
Result<Verdict> decode_verdict(std::string_view json);

}  // namespace cupel
