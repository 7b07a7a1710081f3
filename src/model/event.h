// The bodies of a journal's events. An event is written once and never changes, so a field that
// is added later has a default that old journals get.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/candidate.h"
#include "model/exchange.h"
#include "model/run.h"
#include "model/seed.h"
#include "model/task.h"
#include "model/verdict.h"

namespace cupel {

// What the user asked for, the texts of the files included: a resumed run depends on no file
// outside its directory.
struct RunStarted {
  std::string run_id;
  Task task;
  RunOptions options;
  std::map<std::string, std::string> machine;  // "cpu", "torch", "cupel", ...: for the report
  std::vector<Candidate> files;                // the user's candidates; label = path
};

struct TaskAdmitted {
  TaskFacts facts;
  Admission admission;
  std::vector<Seed> seeds;  // the free portfolio for this task, in the order to try
};

struct Proposed {
  Proposal proposal;
  Candidate candidate;  // empty where an agent is still to write it
  int step = 0;         // proposals of one answer of the strategy bear one number: 1, 2, ...
};

// What earlier runs learned, as it was found when this run began.
struct LessonsRecalled {
  std::vector<std::string> lessons;  // most similar task first
};

// A question about to be sent. Its worst case is out of the budget from here on.
struct ProposalAsked {
  std::string proposal_id;
  std::string provider;  // "openai:gpt-5"
  std::int64_t nano_usd_max = 0;
  int queries = 0;   // of the budget; 0: uncharged
  std::string with;  // the proposal whose question it shares; empty: it has its own
};

// The end of a question: an answer, a failure, or the death of the process that asked.
struct ProposalReplied {
  std::string proposal_id;
  Reply reply;
  int queries = 0;    // what it cost
  bool lost = false;  // given up, by a kill or a stop: asked again
};

// A reply that held a candidate.
struct ProposalParsed {
  std::string proposal_id;
  Candidate candidate;
  std::vector<std::string> mended;  // rules that made it usable
};

// A reply whose use is its text. Closes the proposal.
struct ProposalAnswered {
  std::string proposal_id;
  std::vector<std::string> texts;
  std::vector<std::string> mended;
  std::string problem;  // why `texts` is empty
};

// A candidate compiled ahead of its judgement.
struct ProposalBuilt {
  std::string proposal_id;
  double seconds = 0;
  std::string problem;  // ours; the judgement will tell the candidate's
};

// A proposal carried to a verdict. The same body tells of an infra fault that is retried.
struct ProposalJudged {
  std::string proposal_id;
  std::string candidate_id;
  Verdict verdict;
  double seconds = 0;  // wall time of the judgement
};

// A proposal that is closed without being judged: a duplicate, or the budget was spent.
struct ProposalRejected {
  std::string proposal_id;
  std::string candidate_id;
  std::string why;
};

// What the engine decided by itself. `about` is the candidate's id, or empty.
struct Decision {
  std::string what;  // one word that tools match on: "lead", "stop", "skip", "search_over", ...
  std::string why;   // one sentence for people
  std::string about;
};

struct RunFinished {
  std::string winner_id;    // empty: nothing beat eager
  std::string winner_file;  // name inside the run's directory, or empty
};

std::string encode(const RunStarted& body);
std::string encode(const TaskAdmitted& body);
std::string encode(const Proposed& body);
std::string encode(const LessonsRecalled& body);
std::string encode(const ProposalAsked& body);
std::string encode(const ProposalReplied& body);
std::string encode(const ProposalParsed& body);
std::string encode(const ProposalAnswered& body);
std::string encode(const ProposalBuilt& body);
std::string encode(const ProposalJudged& body);
std::string encode(const ProposalRejected& body);
std::string encode(const Decision& body);
std::string encode(const RunFinished& body);
Result<RunStarted> decode_run_started(std::string_view json);
Result<TaskAdmitted> decode_task_admitted(std::string_view json);
Result<Proposed> decode_proposed(std::string_view json);
Result<LessonsRecalled> decode_lessons_recalled(std::string_view json);
Result<ProposalAsked> decode_proposal_asked(std::string_view json);
Result<ProposalReplied> decode_proposal_replied(std::string_view json);
Result<ProposalParsed> decode_proposal_parsed(std::string_view json);
Result<ProposalAnswered> decode_proposal_answered(std::string_view json);
Result<ProposalBuilt> decode_proposal_built(std::string_view json);
Result<ProposalJudged> decode_proposal_judged(std::string_view json);
Result<ProposalRejected> decode_proposal_rejected(std::string_view json);
Result<Decision> decode_decision(std::string_view json);
Result<RunFinished> decode_run_finished(std::string_view json);

}  // namespace cupel
