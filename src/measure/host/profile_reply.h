// What a host's profile says, within the limits of what is believed to be one.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "model/profile.h"

namespace cupel::measure {

// The `profile` of a reply: names made plain, at most 12 rows of a kind, numbers that are none left
// at 0. An input error where it is no profile at all.
Result<Profile> told_profile(const nlohmann::json& reply);

}  // namespace cupel::measure
