// From the linting of a task to what is allowed and what the task cannot tell apart. Pure.
#pragma once

#include "model/task.h"

namespace cupel::judge {

// The allowed multiple of the reference's own error.
double tolerance_multiple(Policy policy);
// The same for the rms over all elements.
double rms_multiple(Policy policy);

// Tolerances for every kept class that can be relied on; degenerate reasons; mutants that plain
// allclose at 1e-2 takes for right; notes about classes left out. `facts` tells the outputs'
// dtypes; without them every floating output counts as float32.
Admission admit(AdmissionEvidence evidence, Policy policy, const TaskFacts& facts = {});

// The tolerance of a class, or nullptr for a class that is not relied upon.
const Tolerance* find_tolerance(const Admission& admission, std::string_view value_class);

}  // namespace cupel::judge
