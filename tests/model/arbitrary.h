// Arbitrary values of what codecs carry.
#pragma once

#include <string>

#include "model/candidate.h"
#include "model/evidence.h"
#include "model/graph.h"
#include "model/run.h"
#include "model/task.h"
#include "model/verdict.h"

namespace cupel {

// To be called in a property, which draws them; one function a type. (rc::Gen of each of these
// types and of lists of them takes more than a minute to compile.)

// Finite doubles of all sizes and those that JSON has no word for.
double any_number();
// Valid UTF-8, rich in what JSON escapes.
std::string any_text();

TaskSettings any_settings();
Task any_task();
TaskFacts any_facts();
OutputError any_output_error();
Admission any_admission();
Evidence any_evidence();
Verdict any_verdict();
Candidate any_candidate();
Proposal any_proposal();
Prompt any_prompt();
Reply any_reply();
RunOptions any_run_options();
FinalTable any_final_table();
WinnerAudit any_winner_audit();
Graph any_graph();

}  // namespace cupel
