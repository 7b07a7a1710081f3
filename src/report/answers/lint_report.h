// What `cupel lint` shows: what the referee found out about a task and what follows from it.
#pragma once

#include <string>

#include "model/task.h"
#include "report/words/style.h"

namespace cupel::report {

// Everything that the report is made from; the referred values must outlive the call.
struct LintFindings {
  const Task& task;
  const TaskFacts& facts;
  const Admission& admission;
  Policy policy = Policy::eager;
};

std::string lint_text(const LintFindings& findings, const Style& style);
std::string lint_json(const LintFindings& findings);

// True if the tolerances of the mutant's value class reject it on at least one output.
bool is_rejected(const MutantReport& mutant, const Admission& admission);

}  // namespace cupel::report
