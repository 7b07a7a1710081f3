// What comes with status 200 and is no answer: a web page, another schema.
#pragma once

#include <string>
#include <string_view>

#include "llm/dialects/dialect.h"

namespace cupel::llm {

// Such a reply, and whether it shows that no model was asked: then it cost nothing.
struct Foreign {
  std::string what;  // `a web page ("Sign in")`; empty for a blank body, which says nothing
  bool is_free = false;
};

// `body` is not empty of events only: it was no stream at all, or one that nothing was understood
// of.
Foreign describe_foreign(std::string_view body, bool has_events);

}  // namespace cupel::llm
