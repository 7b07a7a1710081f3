// Several runs beside each other. Pure; thread-safe.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/run.h"
#include "report/words/style.h"

namespace cupel::report {

// A run as a line of a list.
struct ListedRun {
  RunRecord record;
  std::vector<std::string> tags;
  std::string problem;  // why its journal cannot be read; then only `record.run_id` is known
};

// A line a run, in the order given: when, what, how far, what it cost, what won.
std::string runs_text(std::span<const ListedRun> runs, const Style& style);
std::string runs_json(std::span<const ListedRun> runs);

}  // namespace cupel::report
