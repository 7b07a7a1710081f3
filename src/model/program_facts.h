// What whoever rewrites a task must see of it, and its own text may only import.
#pragma once

#include <string>
#include <vector>

namespace cupel {

struct ProgramFacts {
  struct Source {
    std::string module;  // "pkg.layers.norm"
    std::string text;    // of it, what the task uses, in the module's order
  };
  std::string init;                   // the constructor's arguments, as Python writes them
  std::vector<std::string> weights;   // "blocks.*.weight: float32[512], 6 of them"; buffers, too
  std::vector<Source> sources;        // the user's modules, those used first before their users
  std::vector<std::string> left_out;  // a sentence each
};

}  // namespace cupel
