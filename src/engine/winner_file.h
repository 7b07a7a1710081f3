// The file that a run ships.
#pragma once

#include <string>

#include "model/run.h"

namespace cupel::engine {

// The winner's source below a comment that says what it is, how fast and by which run. The
// candidate must be among the record's judged programs and have a row in its table.
std::string winner_text(const RunRecord& record, const std::string& winner_id);

}  // namespace cupel::engine
