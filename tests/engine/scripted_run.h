// Whole runs from a seed, shared by the engine's tests and the crash driver.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "engine/engine.h"
#include "engine/rehearse/scripted_evaluator.h"
#include "journal/journal.h"

namespace cupel::engine {

// The crash driver's word for an append that survives kill -9.
inline constexpr char k_kept = '=';

// On memory where there is a file system for it: many small runs need no disk.
inline TempDir scratch(const std::filesystem::path& parent = "/dev/shm") {
  const bool usable = std::filesystem::is_directory(parent);
  auto made = TempDir::create(usable ? parent : std::filesystem::temp_directory_path(), "cupel");
  if (!made) throw std::runtime_error(made.error().describe());
  return std::move(*made);
}

// A third of the programs are the user's files, the others seeds, one of them torch.compile.
inline RunRequest scripted_request(int programs) {
  RunRequest request;
  request.run_id = "scripted";
  request.task.id = std::string(64, 'b');
  request.task.name = "scripted task";
  std::vector<Seed> seeds;
  for (int i = 0; i < programs; ++i) {
    const std::string name = i == programs / 2 ? "compile" : "program " + std::to_string(i);
    const std::string source = "# " + name + "\nclass ModelNew:\n    pass\n";
    if (i % 3 == 0 && name != "compile") {
      request.files.push_back(make_candidate(source, name + ".py"));
    } else {
      seeds.push_back({name, "seed " + name, source, 0});
    }
  }
  request.seed_source = [seeds](const TaskFacts&) { return seeds; };
  return request;
}

inline std::vector<Candidate> candidates_of(const RunRequest& request) {
  std::vector<Candidate> all = request.files;
  for (const Seed& seed : request.seed_source({}))
    all.push_back(make_candidate(seed.source, seed.label));
  return all;
}

// More than any script has: such a program fails by our fault no more.
inline constexpr int k_all_faults = 1000;

// An evaluator that has met the infra faults which the journal tells of, and no others: what
// was in flight when a process died happens again in the next one.
inline ScriptedEvaluator evaluator_at(const journal::Journal& journal, const Script& script) {
  ScriptedEvaluator evaluator(script);
  for (const auto& open : journal.state().open) {
    evaluator.recall_faults(open.candidate.id, open.faults);
  }
  for (const Judged& judged : journal.state().record.judged) {
    evaluator.recall_faults(judged.candidate.id, k_all_faults);
  }
  const int held = static_cast<int>(journal.state().tables.size());
  evaluator.recall_table_faults(journal.state().table_faults + (held > 0 ? k_all_faults : 0));
  const bool audited = !journal.state().record.audits.empty();
  evaluator.recall_audit_faults(journal.state().audit_faults + (audited ? k_all_faults : 0));
  return evaluator;
}

inline journal::Journal open_or_die(const std::filesystem::path& directory, const Clock& clock) {
  auto journal = journal::Journal::open(directory, clock);
  if (!journal) throw std::runtime_error(journal.error().describe());
  return std::move(*journal);
}

// All of a record that must not depend on crashes.
inline std::string essence(const RunRecord& record) {
  std::string text = record.finished ? "finished\n" : "unfinished\n";
  for (const Judged& judged : record.judged) {
    text += encode(judged.proposal) + encode(judged.candidate) + encode(judged.verdict) + "\n";
  }
  return text + encode(record.table) + "\nwinner " + record.winner_id;
}

// The record of a run that nobody disturbs.
inline RunRecord undisturbed(const RunRequest& request, const Script& script) {
  const TempDir directory = scratch();
  const SystemClock clock;
  journal::Journal journal = open_or_die(directory.path(), clock);
  ScriptedEvaluator evaluator(script);
  SilentSink sink;
  auto record = run(request, evaluator, journal, sink);
  if (!record) throw std::runtime_error(record.error().describe());
  return std::move(*record);
}

}  // namespace cupel::engine
