// Edits of a source: search/replace blocks and unified diffs, found in a reply and applied.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cupel::propose {

// Lines to find, and what takes their place; both end with '\n' unless empty.
struct Edit {
  std::string search;
  std::string replace;
};

// `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE` in the text, else the hunks of a unified diff.
// An edit that is cut off before its end is left out.
std::vector<Edit> edits_in(std::string_view text);

// Whether the text holds the marks of either form.
bool has_edits(std::string_view text);

// Applies them in turn. Lines match as they are, else without blanks at their ends, else without
// indentation (what is inserted is then indented as what it replaces). An input error names the
// first edit that matches nowhere.
Result<std::string> apply_edits(std::string_view source, const std::vector<Edit>& edits);

}  // namespace cupel::propose
