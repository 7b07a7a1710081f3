// A run for people: the summary table and everything that was judged. docs/json.md describes the
// machine's version. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "model/run.h"
#include "report/words/style.h"

namespace cupel::report {

// The whole report of `cupel optimize` and `cupel report`.
std::string run_text(const RunRecord& run, const Style& style);
std::string run_markdown(const RunRecord& run);
// One JSON object, one line; keys are stable (docs/json.md).
std::string run_json(const RunRecord& run);

// One line about a finished judgement: "1.42x 1.40-1.44  faster  channels_last".
std::string judged_line(const Judged& judged, const Style& style);

// Judged candidates, best first: correct ones by ratio, then the others by outcome.
std::vector<const Judged*> ranked(const RunRecord& run);

// Colour of an outcome: green faster, red failures, yellow suspects.
Color outcome_color(Outcome outcome);

}  // namespace cupel::report
