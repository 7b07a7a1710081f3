// The file that a run ships.
#pragma once

#include <string>

#include "model/run.h"

namespace cupel::engine {

// Its name, in the run's directory.
inline constexpr const char* k_winner_file = "winner.py";

// The winner's source below a comment that says what it is, how fast and by which run. No label in
// that can change how Python reads the rest. `table`: of a final round, as it was measured; the
// candidate must have a row in it and be among the record's judged programs. The winner's audit
// judges this text, and it is what is shipped.
std::string winner_text(const RunRecord& record, const FinalTable& table,
                        const std::string& winner_id);

}  // namespace cupel::engine
