// Prompts' templates: plain text with three marks. docs/agents.md has the syntax.
//   {{name}}                    the value; an error if there is none or it is empty
//   {{#name}} ... {{/name}}     what is between, unless the value is empty; an error if there is
//   none
//   {{>path}}                   another file of the same directory, filled with the same values
// A section's or an include's mark alone on a line takes the line's end with it.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/result.h"

namespace cupel::propose {

using Values = std::map<std::string, std::string>;

// `name`: a file below `directory`. What values hold is not looked at again. An input error names
// the file and line of the mark that it is about.
Result<std::string> render_template(const std::filesystem::path& directory, const std::string& name,
                                    const Values& values);

}  // namespace cupel::propose
