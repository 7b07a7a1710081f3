// rapidcheck generators for the values that codecs carry. Include before use in properties.
#pragma once

#include <rapidcheck.h>

#include <limits>
#include <string>
#include <vector>

#include "model/candidate.h"
#include "model/evidence.h"
#include "model/run.h"
#include "model/task.h"
#include "model/verdict.h"

namespace cupel {

// Finite doubles of all sizes and those that JSON has no word for.
inline rc::Gen<double> any_number() {
  using Limits = std::numeric_limits<double>;
  return rc::gen::oneOf(rc::gen::arbitrary<double>(),
                        rc::gen::element(Limits::infinity(), -Limits::infinity(), Limits::max(),
                                         Limits::denorm_min(), -0.0, Limits::quiet_NaN()));
}

// Valid UTF-8, rich in what JSON escapes.
inline rc::Gen<std::string> any_text() {
  return rc::gen::exec([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "a", "0", " ", "\"", "\\", "\n", "{", "]", "\x01", "é", "漢"));
    std::string text;
    for (const auto& piece : pieces) text += piece;
    return text;
  });
}

template <class T>
rc::Gen<std::vector<T>> any_list(rc::Gen<T> item) {
  return rc::gen::resize(3, rc::gen::container<std::vector<T>>(std::move(item)));
}

template <class T>
rc::Gen<T> any() {
  return rc::gen::arbitrary<T>();
}

rc::Gen<TaskSettings> any_settings();
rc::Gen<Task> any_task();
rc::Gen<TaskFacts> any_facts();
rc::Gen<OutputError> any_output_error();
rc::Gen<Admission> any_admission();
rc::Gen<Evidence> any_evidence();
rc::Gen<Verdict> any_verdict();
rc::Gen<Candidate> any_candidate();
rc::Gen<Proposal> any_proposal();
rc::Gen<Prompt> any_prompt();
rc::Gen<Reply> any_reply();
rc::Gen<RunOptions> any_run_options();
rc::Gen<FinalTable> any_final_table();
rc::Gen<WinnerAudit> any_winner_audit();

}  // namespace cupel
