// What agents are asked, and what their replies mean. Pure functions: prompts in, values out; the
// engine carries the words to a provider.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/exchange.h"
#include "model/run.h"
#include "model/seed.h"

namespace cupel::propose {

// Switches of what agents are told, so that each can be ablated.
struct Telling {
  bool times = true;     // measured times and ratios of parents
  bool hardware = true;  // the machine's facts
  bool history = true;   // what was tried before, and how it went
  bool lessons = true;   // what earlier runs learned (the archive)
  bool profile = true;   // where programs spend their time
};

// Everything that a prompt may speak of. The referred values outlive the call.
struct Context {
  const Task* task = nullptr;
  const TaskFacts* facts = nullptr;
  Policy policy = Policy::eager;
  std::string device;                          // "cpu" or "cuda"
  std::map<std::string, std::string> machine;  // RunStarted::machine
  std::vector<const Judged*> parents;          // of the proposal, in its order
  std::vector<const Judged*> history;          // all verdicts so far, in order
  // What agents are asked for at this moment, in the order proposed, this proposal included.
  std::vector<const Proposal*> under_way;
  int answers = 1;                     // to the one prompt that are drawn at once
  const Candidate* program = nullptr;  // that a reader is asked about
  const Judged* best_free = nullptr;   // the bar to clear; null: eager
  const Seed* rewritten = nullptr;     // what algebra makes of the task; null: nothing
  std::vector<std::string> lessons;    // from the archive, most similar first
  // Where the first parent's time goes, for `analyse`: (name with unit, value), most telling first.
  std::vector<std::pair<std::string, double>> profile;
  bool profile_is_claim = false;  // the parent's own process says so, and Cupel did not write it
  // A table each of what the task's own program and the best free variant spend time on:
  // ("Eager", rows).
  std::vector<std::pair<std::string, std::string>> where_time_goes;
  Telling telling;
};

inline constexpr double k_temperature = 0.8;  // PIKE's

// The prompt for one proposal that asks an agent, no longer than llm::k_prompt_bytes_max: what it
// speaks of is cut to limits of its own (prompt.cpp). An input error if a template is missing, a
// placeholder has no value, or the agent needs a parent that the context lacks. `prompts_dir`:
// "prompts" below Cupel's home.
Result<Prompt> make_prompt(const Proposal& proposal, const Context& context,
                           const std::filesystem::path& prompts_dir);

// What a reply gave.
struct Parsed {
  std::optional<Candidate> candidate;  // kinds that give one
  std::vector<std::string> texts;      // ideas of a brainstorm; the plan of an analysis
  std::vector<std::string> mended;     // rules that mended it: "code fence", "renamed class"
  std::string problem;                 // why nothing usable is in it; empty if something is
};

// Takes code blocks, bare modules, and search/replace edits of the first parent. Never fails: what
// cannot be used says why in `problem`.
Parsed parse_reply(const Proposal& proposal, const Reply& reply, const Context& context);

}  // namespace cupel::propose
