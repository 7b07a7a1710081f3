// A finished run as a value.
#pragma once

#include "model/run.h"

namespace cupel::report {

inline Verdict sample_verdict(const std::string& id, double ratio) {
  Verdict verdict;
  verdict.candidate_id = id;
  verdict.label = "program " + id;
  verdict.outcome = ratio > 1.02 ? Outcome::faster : Outcome::same;
  verdict.ratios = {{"eager", "e", ratio, ratio - 0.02, ratio + 0.02, 2 / ratio, 2, 40}};
  verdict.error_rms = 1.5e-7;
  verdict.close_1e2 = verdict.close_1e4 = true;
  verdict.checked_calls = 80;
  return verdict;
}

inline Judged sample_judged(const std::string& proposal, const std::string& id, Verdict verdict) {
  Judged judged;
  judged.proposal.id = proposal;
  judged.candidate = {id, "program " + id, "class ModelNew: ..."};
  judged.verdict = std::move(verdict);
  judged.seconds = 2;
  return judged;
}

inline RunRecord sample_run() {
  RunRecord run;
  run.run_id = "3fa41c-softmax";
  run.directory = "/runs/3fa41c-softmax";
  run.task.name = "softmax";
  run.facts.inputs = {{"float32", {128, 16}, {16, 1}, 8192}};
  run.facts.outputs = run.facts.inputs;
  Verdict wrong = sample_verdict("w", 9);
  wrong.outcome = Outcome::wrong;
  wrong.fault = Fault::candidate;
  wrong.reasons = {{"value", "values differ by 12 times the tolerance", 12, 1}};
  run.judged = {sample_judged("p0001", "a", sample_verdict("a", 1.2)),
                sample_judged("p0002", "w", wrong),
                sample_judged("p0003", "b", sample_verdict("b", 1.5))};
  Verdict winner = sample_verdict("b", 1.5);
  winner.ratios.push_back({"program a", "a", 1.25, 1.24, 1.255, 1.333, 1.667, 40});
  run.table.rows = {{"eager", "e", "eager", {}},
                    {"best free variant", "a", "program a", sample_verdict("a", 1.2)},
                    {"winner", "b", "program b", winner}};
  run.winner_id = "b";
  run.winner_path = "/runs/3fa41c-softmax/winner.py";
  run.finished = true;
  run.wall_s = 102;
  return run;
}

}  // namespace cupel::report
