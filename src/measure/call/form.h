// Does a result look like the reference's? Pure.
#pragma once

#include <optional>

#include "measure/host/host_messages.h"
#include "model/evidence.h"
#include "model/task.h"

namespace cupel::measure {

// What of a result's form is wrong, without the input; none where it is right.
std::optional<FormMismatch> find_form_mismatch(const ResultForm& form, const TaskFacts& facts,
                                               bool strict_strides);
// "type", of something that is no plain tensor: `said` is the host's word for it.
FormMismatch no_plain_tensor(const std::string& said);
// Is some output laid out in another way? Of a result without a mismatch.
bool differs_in_strides(const ResultForm& form, const TaskFacts& facts);

}  // namespace cupel::measure
