// Judged candidates in the words that prompts use. What Telling switches off is not told.
#pragma once

#include <cstddef>
#include <string>

#include "propose/agent.h"

namespace cupel::propose {

// "faster, 1.42x over eager (1.38 to 1.47), 0.54 ms a call" or "wrong(range)"; without times
// "correct".
std::string told_outcome(const Judged& judged, const Context& context);

// One line: "- p0012, improve of p0004, "tile the rows": faster, 1.42x over eager (1.38 to 1.47),
// 0.54 ms a call".
std::string told_line(const Judged& judged, const Context& context);

// What was tried, a line each: the fastest so far, then the newest that fit, oldest first, with a
// note on how many are left out. Empty if there is none or it is not to be told.
std::string told_history(const Context& context, std::size_t bytes_max);

// The ideas that other agents carry out at this moment, a line each. Empty if there are none, or if
// history is not to be told.
std::string told_under_way(const Context& context, const Proposal& proposal);

// "2 of 3" where three agents are asked the very same and this is the second; those that have
// answered already keep their numbers. Empty where it is alone at this moment, or if history is not
// to be told.
std::string told_twin(const Context& context, const Proposal& proposal);

// The verdict in sentences: outcome, ratios, error, reasons, and what the judge says to mend it.
std::string told_verdict(const Judged& judged, const Context& context, std::size_t feedback_bytes);

// A heading, the verdict, the source.
std::string told_parent(const Judged& judged, const Context& context, std::size_t source_bytes);

// The best free variant: its name, how fast it is, its source without the task's own text. Where
// there is none yet, eager and its time.
std::string told_bar(const Context& context, std::size_t source_bytes);

// What algebra makes of the task: the rules, and the program where it is short. Empty where no rule
// fits.
std::string told_rewritten(const Context& context, std::size_t source_bytes);

// Tables of where eager and the best free variant spend their time; empty if that is not known, or
// not to be told.
std::string told_where_time_goes(const Context& context);

// At most 24 numbers about the first parent, a line each.
std::string told_profile(const Context& context);

}  // namespace cupel::propose
