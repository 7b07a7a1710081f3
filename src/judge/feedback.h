// Sentences for people and agents: the smallest evidence that helps to mend a candidate. Pure.
#pragma once

#include <string>

#include "judge/checks.h"
#include "model/evidence.h"
#include "model/verdict.h"

namespace cupel::judge {

// One sentence about the failed leaf: where, what it is, what it must be, by how much.
std::string describe_failure(const FailedCheck& failed);

// What a wrong check tells: the leaf, how many checks failed, and what that pattern means.
std::string wrong_feedback(const WrongCheck& wrong, const CheckSummary& summary);

// Of a program into which the task's state does not load: to be added to what else is said.
std::string state_feedback();

// What a fault tells: phase, sentence, and the tail of the log.
std::string fault_feedback(const ProgramEvidence& program);

// What a ratio tells a proposer: which way, by how much, and how sure. `checked_all`: on all value
// classes, and with other weights.
std::string timing_feedback(Outcome outcome, const Ratio& ratio, bool checked_all);

// The last `bytes_max` bytes, cut at a line where one ends soon after the cut.
std::string tail_of(const std::string& text, std::size_t bytes_max);

}  // namespace cupel::judge
