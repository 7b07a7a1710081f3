// Everything that a prompt may speak of, with recognizable words in it.
#pragma once

#include <deque>
#include <filesystem>
#include <string>

#include "base/files.h"
#include "propose/agent.h"
#include "propose/sample_task.h"

namespace cupel::propose {

inline std::filesystem::path shipped_prompts() {
  const auto home = home_directory();
  return home ? *home / "prompts" : "prompts";
}

inline Proposal sample_proposal(Proposal::Kind kind) {
  Proposal proposal;
  proposal.id = "p0042";
  proposal.kind = kind;
  return proposal;
}

// Owns what its context refers to.
struct SampleContext {
  Task task = sample_task();
  TaskFacts facts = sample_facts();
  std::deque<Judged> judged;  // stable addresses
  Context context;

  SampleContext() {
    context.task = &task;
    context.facts = &facts;
    context.device = "cpu";
    context.machine = {
        {"cpu", "Sample Processor"}, {"cores", "2"}, {"cupel", "0.1"}, {"gpu", "Sample GPU"}};
  }
  SampleContext(const SampleContext&) = delete;

  Judged& add(const std::string& id, Outcome outcome, double ratio, const std::string& source) {
    Judged& one = judged.emplace_back();
    one.proposal.id = id;
    one.proposal.kind = Proposal::Kind::write;
    one.proposal.idea = "idea of " + id;
    one.candidate = make_candidate(source, "label of " + id);
    one.verdict.outcome = outcome;
    if (is_correct(outcome)) {
      one.verdict.ratios = {{"eager", "e", ratio, ratio - 0.1, ratio + 0.1, 8 / ratio, 8, 40}};
    } else {
      one.verdict.reasons = {{"value", "reason of " + id, 0, 0}};
      one.verdict.feedback = "feedback for " + id;
    }
    context.history.push_back(&one);
    return one;
  }
};

}  // namespace cupel::propose
