// What a sitting tells those who watch it.
#pragma once

#include <set>
#include <string>

#include "engine/doors/sitting.h"

namespace cupel::engine {

void show(Sitting& sitting, Stage stage, const std::string& subject = "");

// The search, with those proposals at work in the lanes.
void show_work(Sitting& sitting, const std::set<std::string>& in_flight);

}  // namespace cupel::engine
