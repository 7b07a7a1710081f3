// A task's graph to cheaper graphs that compute the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rewrite/cost.h"

namespace cupel::rewrite {

// One application of one rule.
struct Step {
  std::string rule;
  std::string reason;
  bool exact = false;  // the same bits; else rounded in another order
  std::string before;  // what stood there, as Python
  std::string after;
};

// A provable fact that a user wants to know: an operator that does nothing, a constant result.
struct Finding {
  std::string node;
  std::string what;
  bool degenerate = false;  // the program's result does not depend on its inputs
};

struct Rewriting {
  std::string name;  // of the seed: "rewrite", "rewrite_conv1d_as_conv2d"
  Graph graph;
  std::vector<Step> steps;
  Cost before, after;
  // Of a part of a model: its class, and where it lies ("Block", {"self.layers[0]"}).
  std::string kind;
  std::vector<std::string> paths;
  // Where the whole is no graph: its parts that were rewritten. Then `graph` has no nodes.
  std::vector<Rewriting> parts;
};

// Where the programs will run, as far as rules depend on it.
struct Setting {
  Policy policy = Policy::eager;
  std::string_view device = "cpu";
};

struct Rewritings {
  std::vector<Rewriting>
      programs;  // the cheapest first, then it in other forms; none: no rule fits
  std::vector<Finding> findings;
  std::vector<std::string> left_alone;  // operators that no rule knows, once each
};

// Pure, and the same for the same arguments. Ends: every step lowers the cost, or the number of
// nodes.
Rewritings rewrite(const Graph& graph, const Setting& setting);
// Where there is no graph: one program, "rewrite_parts", of the parts that a rule fits.
Rewritings rewrite(const GraphExport& exported, const Setting& setting);

}  // namespace cupel::rewrite
