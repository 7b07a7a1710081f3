// A program to judge, and where it came from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/exchange.h"

namespace cupel {

// A Python source that defines ModelNew. Addressed by content.
struct Candidate {
  std::string id;     // 64 hex digits: hash of the source
  std::string label;  // for people: "seed compile max-autotune", "fast_softmax.py"
  std::string source;
};
Candidate make_candidate(std::string source, std::string label);

// A request for one candidate, or for an agent's text (brainstorm, analyse).
struct Proposal {
  enum class Kind {
    seed,        // a free variant
    file,        // the user's own candidate
    brainstorm,  // an agent lists ideas; no candidate
    write,       // an agent writes a candidate from the task and an idea
    improve,     // ... from one parent
    cross,       // ... from several parents
    fix,         // ... from a parent that failed, and how it failed
    analyse,     // an agent turns a profile into one bottleneck and one plan; no candidate
    convert,     // an agent rewrites the task in functional form
    translate,   // an agent turns the functional form into a kernel
    tune,        // numbers of a parent are changed; no agent
    read,        // the reader looks at a program; the engine asks, no strategy
  };
  std::string id;  // unique in a run: "p0007"
  Kind kind = Kind::seed;
  std::string label;                 // seed: its name; file: its path; else for people
  std::vector<std::string> parents;  // candidate ids
  std::string reason;                // one sentence for `cupel why`
  std::string idea;                  // what the agent is told to do; empty: it decides
  Tier tier = Tier::strong;          // of the model that an agent uses
  bool charged = false;              // its reply costs one query of the budget
  int phase = 0;                     // the strategy's own: phase, generation or turn
  int branch = 0;                    // its own: branch of the phase, or island
  int fix_round = 0;                 // 0: not a fix; 1: first fix of a candidate, ...
};
std::string_view to_string(Proposal::Kind kind);
// Whether an LLM answers it.
bool asks_agent(Proposal::Kind kind);
// Whether an agent is asked the very same for both; a proposal is its own twin.
bool asks_alike(const Proposal& left, const Proposal& right);
// Whether its answer is a candidate; else it is text.
bool gives_candidate(Proposal::Kind kind);

std::string encode(const Candidate& candidate);
std::string encode(const Proposal& proposal);
Result<Candidate> decode_candidate(std::string_view json);
Result<Proposal> decode_proposal(std::string_view json);

}  // namespace cupel
