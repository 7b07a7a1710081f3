// What a cheap model says of bought programs before the device's time goes into them. It is asked
// as soon as a program is known, and nobody waits for it: a program whose reading comes too late,
// or not at all, keeps its place.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/doors/sitting.h"

namespace cupel::engine {

// Readings in a row without an answer of use, after which a sitting asks for no more.
inline constexpr int k_readings_failed_max = 3;

// How long a search that is over waits for the next reading. Answers take seconds; of a program
// that is judged a reading says little.
inline constexpr double k_late_reading_s = 30;

// Proposes a reading of each bought program that had none, and closes those whose program was
// closed before anybody was asked.
Status propose_readings(Sitting& sitting);

// Sends what the reader's lane has room for and the budget pays for, and gives their ids. What
// never fits is closed.
Result<std::vector<std::string>> start_readings(Sitting& sitting);

// Keeps what an answer says; of a question that failed, why.
Status keep_reading(Sitting& sitting, const journal::OpenProposal& open, Reading reading);

// Whether nothing but readings is open, or nothing at all.
bool only_readings_open(const journal::RunState& state);

}  // namespace cupel::engine
