// How often labels, and a reader's remarks, came true: what the judge found of the programs that
// bear each, beside those that bear none. Pure; thread-safe.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/run.h"
#include "report/words/style.h"

namespace cupel::report {

// Counts programs that were read and have a verdict of their own; a winner's audit outweighs the
// verdict before it. A fault of ours is no verdict.
struct LabelHits {
  std::string label;  // empty: those that bear none
  int programs = 0;
  int right = 0;  // the faster ones among them
  int faster = 0;
  int wrong = 0;
  int suspect = 0;  // or impossible
  int refused = 0;  // not built, not run, or not in time
};

// A row a label, the most frequent first, then the row without a label. Empty where no program was
// read.
std::vector<LabelHits> label_hits(const RunRecord& run);

// The same of the reader's remarks, over programs of which it gave an answer of use.
std::vector<LabelHits> reader_hits(const RunRecord& run);

// A table under a heading for each; "" where nothing bears a label and no reader was asked.
std::string label_hits_text(const RunRecord& run, const Style& style);
std::string label_hits_markdown(const RunRecord& run);
// docs/json.md, "labels" of a run.
nlohmann::json label_hits_json(const RunRecord& run);
// And "reader".
nlohmann::json readings_json(const RunRecord& run);

}  // namespace cupel::report
