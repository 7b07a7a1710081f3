// How good a judged program is, for strategies. Pure.
#pragma once

#include <string_view>

#include "model/run.h"

namespace cupel::search {

// Proposal ids are made in order and zero-padded, so longer ones are later.
bool is_earlier(std::string_view left_id, std::string_view right_id);

// Whether nobody wrote it for this run: a seed, or a file of the user's.
bool is_free(const Proposal& proposal);

// Ratio over the baseline; 0 where nothing was timed.
double speed_of(const Judged& judged);

// Faster first; equal ones in the order of proposal ids.
bool ranks_before(const Judged& left, const Judged& right);

// Whether an agent may mend it: an error of the program or of the reply. A suspect and an
// impossible time are no errors (telling an agent so teaches it to hide a hack better), and an
// infra fault is ours.
bool is_mendable(Outcome outcome);

}  // namespace cupel::search
