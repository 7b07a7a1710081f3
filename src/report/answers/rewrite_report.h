// What `cupel rewrite` prints: costs, each step with both sides, the program.
#pragma once

#include <string>

#include "model/graph.h"
#include "report/words/style.h"
#include "rewrite/rewrite.h"

namespace cupel::report {

struct RewriteFindings {
  Task task;
  std::string refused;  // why there is no graph; else empty
  Graph graph;
  rewrite::Rewritings rewritings;
};

std::string rewrite_text(const RewriteFindings& findings, const Style& style);
// One document: docs/json.md.
std::string rewrite_json(const RewriteFindings& findings);

}  // namespace cupel::report
