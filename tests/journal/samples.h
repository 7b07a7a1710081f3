// Small, distinct values for journals.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "journal/journal.h"
#include "model/event.h"

namespace cupel::journal {

inline TempDir scratch() {
  auto made = TempDir::create(std::filesystem::temp_directory_path(), "cupel-journal");
  CUPEL_CHECK(made.has_value());
  return std::move(*made);
}

inline Candidate sample_candidate(int number) {
  return make_candidate("class ModelNew: n = " + std::to_string(number),
                        "candidate " + std::to_string(number));
}

inline RunStarted sample_start(const std::string& run_id = "run-1") {
  RunStarted start;
  start.run_id = run_id;
  start.task.id = std::string(64, 'a');
  start.task.name = "softmax";
  start.options.minutes_max = 3;
  start.machine = {{"cpu", "two cores"}};
  start.files = {sample_candidate(900)};
  return start;
}

inline TaskAdmitted sample_admitted() {
  TaskAdmitted admitted;
  admitted.facts.parameter_count = 42;
  admitted.admission.k = 8;
  admitted.seeds = {{"compile", "torch.compile", "class ModelNew: pass", 20}};
  return admitted;
}

inline std::string sample_id(int number) {
  return "p000" + std::to_string(number);
}

inline Proposed sample_proposed(int number) {
  return {{sample_id(number), Proposal::Kind::seed, "seed " + std::to_string(number), {}, "why"},
          sample_candidate(number)};
}

inline Verdict sample_verdict(const Candidate& candidate, Outcome outcome, double ratio = 1) {
  Verdict verdict;
  verdict.candidate_id = candidate.id;
  verdict.label = candidate.label;
  verdict.outcome = outcome;
  verdict.ratios = {{"eager", "eager", ratio, ratio * 0.99, ratio * 1.01, 1 / ratio, 1, 100}};
  return verdict;
}

inline ProposalJudged sample_judged(int number, Outcome outcome, double ratio = 1) {
  const Candidate candidate = sample_candidate(number);
  return {sample_id(number), candidate.id, sample_verdict(candidate, outcome, ratio), 0.5};
}

inline Journal open_or_die(const std::filesystem::path& directory, const Clock& clock) {
  auto journal = Journal::open(directory, clock);
  if (!journal) throw std::runtime_error(journal.error().describe());
  return std::move(*journal);
}

// A run with five proposals: faster, wrong after an infra fault, rejected, and two open ones.
inline void write_sample_run(Journal& journal) {
  CUPEL_CHECK(journal.begin_sitting().has_value());
  CUPEL_CHECK(journal.start(sample_start()).has_value());
  CUPEL_CHECK(journal.admit(sample_admitted()).has_value());
  for (int i = 1; i <= 5; ++i) CUPEL_CHECK(journal.propose(sample_proposed(i)).has_value());
  CUPEL_CHECK(journal.judge(sample_judged(1, Outcome::faster, 1.5), {}).has_value());
  CUPEL_CHECK(journal.fault(sample_judged(2, Outcome::infra_fault), {}).has_value());
  CUPEL_CHECK(journal.judge(sample_judged(2, Outcome::wrong), {}).has_value());
  CUPEL_CHECK(journal.reject({sample_id(3), sample_candidate(3).id, "no time left"}).has_value());
  CUPEL_CHECK(journal.decide({"lead", "it leads", sample_candidate(1).id}).has_value());
}

}  // namespace cupel::journal
