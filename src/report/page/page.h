// A run or a suite as one file for a browser, with all its figures and no network. The drawing is
// done by the files of pages/ from one JSON document, which is made here. Pure; thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "journal/state.h"
#include "model/evidence.h"
#include "report/suite/suite_report.h"

namespace cupel::report {

// Times of a program's calls in its last judgement, by the judge's clock.
struct CallTimes {
  std::string candidate_id;
  int calls = 0;
  std::vector<double> quantiles_us;  // at 0, 5, ..., 100 %
};
CallTimes call_times(const ProgramEvidence& program);

// docs/json.md, "Pages". Sources beyond a limit are left out, those of the worst candidates first.
std::string run_page_json(const journal::RunState& state, std::span<const CallTimes> times);
std::string suite_page_json(const Suite& suite, std::span<const SuiteEntry> entries);

// The texts of pages/.
struct PageParts {
  std::string html;  // with {{title}}, {{style}}, {{script}} and {{data}}, once each
  std::string style;
  std::string script;
};

// `json` may hold what candidates wrote: nothing in it ends the element that it stands in.
std::string page_html(const PageParts& parts, std::string_view title, std::string_view json);

}  // namespace cupel::report
