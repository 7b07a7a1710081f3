// A search without processes or LLMs: invented verdicts, in an order of chance, all from a seed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "search/step/strategy.h"

namespace cupel::search {

// How the invented world behaves. Chances are in [0, 1].
struct World {
  std::uint64_t seed = 1;
  double fails = 0.3;         // a candidate has a mendable error
  double fix_fails = 0.3;     // a fix leaves it broken
  double suspect = 0.03;      // a candidate is suspect
  double duplicate = 0.03;    // a reply repeats a program: turned away without a verdict
  double silent = 0.1;        // a brainstorm gives nothing
  double empty_reply = 0.05;  // a reply holds no program
  int ideas = 10;             // of a brainstorm
  std::int64_t queries = 300;
  int lanes = 8;              // Budget::slots, less what agents are busy with
  bool in_order = false;      // verdicts come in the order of proposals
  bool long_sources = false;  // of lengths and lines of their own, as islands tell them apart
  double usd_of_reply = 0.1;
  // What a program's verdict is; empty: by the chances above.
  std::function<Outcome(const Proposal&)> outcome = {};
  // A correct program's ratio; empty: its parent's times a draw.
  std::function<double(const Proposal&)> speed = {};
};

// Everything that a strategy was shown and said, at one call.
struct Call {
  std::vector<Judged> judged;
  std::vector<Proposal> pending;
  std::vector<Proposal> rejected;
  std::vector<Answered> answered;
  Budget budget;
  int proposals_made = 0;
  Step step;

  History history() const { return {judged, pending, rejected, answered}; }
};

// Runs a strategy in a world as the engine does: asks it after every event, carries out one of
// the pending proposals, until nothing is proposed and nothing is pending.
class SimulatedSearch {
 public:
  explicit SimulatedSearch(World world);

  // Calls at most; reaching it means that the strategy does not end.
  static constexpr int k_calls_max = 20000;

  // False: it did not end. `seen`, if given, is told of every call.
  bool run(const Strategy& strategy, const std::function<void(const Call&)>& seen = {});
  // One call of the strategy; what it proposes becomes pending.
  const Step& ask(const Strategy& strategy);
  // Carries out one pending proposal; false if there is none.
  bool advance();

  // Makes a draft pending in a copy of the state, as ask() does.
  static void write_down(const Draft& draft, Call& state);

  const Call& state() const { return state_; }
  std::vector<Proposal> asked() const { return asked_; }  // all proposals so far, in order

 private:
  void answer(const Proposal& proposal);
  void judge(const Proposal& proposal);
  Outcome outcome_of(const Proposal& proposal);
  std::string source_of(const Proposal& proposal);
  double speed_of_child(const Proposal& proposal);

  World world_;
  Rng rng_;
  Call state_;
  std::vector<Proposal> asked_;
};

// The generator that the engine hands a strategy after so many proposals.
Rng draws_after(std::uint64_t seed, int proposals_made);

// A step as text, to compare two.
std::string text_of(const Step& step);

}  // namespace cupel::search
