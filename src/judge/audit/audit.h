// The winner's audit: one more judgement of a candidate before it is reported as the best, on
// evidence of a sitting of its own (fresh processes, seeds, weights and inputs). Pure.
#pragma once

#include "judge/admission.h"
#include "model/evidence.h"
#include "model/task.h"
#include "model/verdict.h"

namespace cupel::judge {

// An audit's round holds the reference, the candidate, and the reference once more. The programs
// take turns, so that on each input one of the two references is called right after the candidate
// and the other is not.
inline constexpr std::size_t k_audit_programs = 3;

// How many times longer a reference takes right after the candidate than right after a reference:
// what the candidate leaves behind in caches and clocks. 1 where too few calls tell.
double disturbance(const Evidence& audit);

// The same evidence with two programs: the baseline's calls are, input by input, those of the
// reference that was not called after the candidate.
Evidence undisturbed(const Evidence& audit);

// The verdict on the candidate against a baseline that it cannot have slowed down, with what the
// audit alone looks at: judge/audit/endurance.h.
Verdict audit(const Evidence& audit, const TaskFacts& facts, const Admission& admission,
              const TaskSettings& settings = {});

// The audit's verdict on a program that was judged before: what it says takes the place of what was
// said, whose ratio was the best of several; ratios over other programs are those of before.
Verdict confirmed(const Verdict& before, Verdict audit);

}  // namespace cupel::judge
