// What `cupel why` shows: the journal's events about one candidate, as sentences.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "journal/event.h"
#include "report/words/style.h"

namespace cupel::report {

// `events` in the order of the journal. Evidence is summed up in one line an event.
std::string why_text(const std::vector<journal::Event>& events, const Style& style);
std::string why_json(const std::vector<journal::Event>& events);

// The last question among the events, or the last answer, as it was sent. An input error if
// there is none.
Result<std::string> prompt_text(const std::vector<journal::Event>& events);
Result<std::string> reply_text(const std::vector<journal::Event>& events);

}  // namespace cupel::report
