// One conclusion about a program that ends its judgement, and the functions that look for one.
// Pure.
#pragma once

#include <optional>
#include <string>

#include "judge/checks.h"
#include "model/evidence.h"
#include "model/task.h"
#include "model/verdict.h"

namespace cupel::judge {

struct Finding {
  Outcome outcome = Outcome::infra_fault;
  Fault fault = Fault::us;
  Reason reason;
  std::string feedback;
};

// The candidate's doing; `text` says what was seen, to the user and to an agent.
Finding wrong(std::string code, const std::string& text, double value = 0, double limit = 0);
Finding suspect(std::string code, const std::string& text, double value, double limit);

// Ends a verdict with a finding, whose reason comes first.
void conclude(Verdict& verdict, const Finding& finding);

// What all programs of a round are judged against; the referred values must outlive it.
struct Round {
  Round(const Evidence& evidence, const TaskFacts& facts, const Admission& admission,
        const TaskSettings& settings);
  const ProgramEvidence& baseline() const { return evidence.programs.front(); }
  CheckSummary summary_of(const ProgramEvidence& program) const;

  const Evidence& evidence;
  const TaskFacts& facts;
  const Admission& admission;
  const TaskSettings& settings;
  const CheckSummary twin;  // the baseline's own checks, summed up once for all programs
};

// The round failed, the program's host failed by our fault, or the baseline did.
std::optional<Finding> find_infra_fault(const Round& round, const ProgramEvidence& program);

// Of failures: no sign that a program is wrong, since Cupel or a busy machine may have caused them.
bool load_may_cause(Outcome failure);

// The program raised an error of its own in a call: what it does not take, it says.
bool raised(const HostFault& fault);

// The program's own host ended: build, exception, limit, unusable reply.
std::optional<Finding> find_host_fault(const ProgramEvidence& program);

// The program computes something else.
std::optional<Finding> find_wrong(const Round& round, const ProgramEvidence& program,
                                  const CheckSummary& summary);

// Outputs came after the reply.
std::optional<Finding> find_late_write(const ProgramEvidence& program, const CheckSummary& summary);

// All of the above in their order of precedence.
std::optional<Finding> find_failure(const Round& round, const ProgramEvidence& program,
                                    const CheckSummary& summary);

}  // namespace cupel::judge
