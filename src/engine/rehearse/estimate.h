// What a search is going to cost, before anybody is asked: a dry run on virtual time, in which the
// strategy decides, the prompts are made and priced, and answers and verdicts are drawn.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "engine/engine.h"

namespace cupel::engine {

// What nobody knows beforehand. Every estimate names them.
struct Assumptions {
  double bytes_per_token = 3.5;       // of prompts: English with code
  std::int64_t reply_tokens = 6'000;  // of an answer, thinking included
  double tokens_per_second = 80;      // at which answers arrive
  std::int64_t source_bytes = 6'000;  // of a program that an agent writes
  double unusable = 0.05;             // share of answers without a program
  double build_s = 2;
  double measure_s = 6;
};

// A price list's answer for one question and what came back; empty: free.
using PriceOf = std::function<std::int64_t(Tier tier, const Usage& usage)>;

struct Estimate {
  std::int64_t nano_usd = 0;        // the bill
  std::int64_t nano_usd_worst = 0;  // if every question cost its worst case, the budget heeded
  std::int64_t queries = 0;         // charged ones
  std::int64_t questions = 0;       // brainstorms and the like too; several queries may share one
  std::int64_t prompt_bytes = 0;    // of a question, on average
  std::int64_t prompt_bytes_max = 0;
  double seconds = 0;  // of the search, the final round not counted
};

// Needs the request's task and options; `agents` with their real providers, for worst cases, and
// their real prompts. Nobody is asked.
Result<Estimate> estimate(const RunRequest& request, const Agents& agents, const PriceOf& price_of,
                          const Assumptions& assumptions = {});

}  // namespace cupel::engine
