// A reader's reply: four questions about a program, answered in a fixed form (prompts/read.txt).
#pragma once

#include <string_view>

#include "model/exchange.h"
#include "model/reading.h"

namespace cupel::propose {

// What a reader answers whom nothing worries.
inline constexpr std::string_view k_no_worries =
    "COMPUTES: yes\nCLOCKS: no\nKEEPS: no\nFALLS BACK: no\n";

// A line a question, "KEEPS: yes - it returns what it saved": yes, no or unsure. Marks of lists and
// emphasis do not matter. A question that has no answer, or two, makes all of it useless: `problem`
// says so. Never fails; linear in the reply's size.
Reading parse_reading(const Reply& reply);

}  // namespace cupel::propose
