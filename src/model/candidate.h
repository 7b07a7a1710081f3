// A program to judge, and where it came from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cupel {

// A Python source that defines ModelNew. Addressed by content.
struct Candidate {
  std::string id;     // 64 hex digits: hash of the source
  std::string label;  // for people: "seed compile max-autotune", "fast_softmax.py"
  std::string source;
};
Candidate make_candidate(std::string source, std::string label);

// A request for one candidate.
struct Proposal {
  enum class Kind { seed, file };  // agents add brainstorm, write, improve, cross, fix, tune
  std::string id;                  // unique in a run: "p0007"
  Kind kind = Kind::seed;
  std::string label;                 // seed: its name; file: its path
  std::vector<std::string> parents;  // candidate ids
  std::string reason;                // one sentence for `cupel why`
};
std::string_view to_string(Proposal::Kind kind);

std::string encode(const Candidate& candidate);
std::string encode(const Proposal& proposal);
Result<Candidate> decode_candidate(std::string_view json);
Result<Proposal> decode_proposal(std::string_view json);

}  // namespace cupel
