// Lints that are kept on disk. A lint takes seconds and depends on the task, the arithmetic and
// this machine alone, so one that was made is taken up again while none of these has changed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "measure/session.h"
#include "model/task.h"

namespace cupel::engine {

// Names all that the result depends on: the task, the files that its program read, what lints it,
// and on what. Empty if one of the files cannot be read: what it holds is then unknown.
std::string lint_key(const measure::SessionSettings& settings, const Task& task, Policy policy,
                     const std::vector<std::filesystem::path>& read_files);

// No jail shows this directory to a host. Thread-safe, also beside other processes.
class KeptLints {
 public:
  explicit KeptLints(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // None of that key, or one that cannot be read: then the task is linted.
  std::optional<AdmissionEvidence> find(const std::string& key) const;
  // A full disk costs the next sitting its time, and nothing else.
  void keep(const std::string& key, const AdmissionEvidence& evidence) const;
  void drop(const std::string& key) const;

 private:
  std::filesystem::path file_of(const std::string& key) const;
  std::filesystem::path directory_;
};

// Lints the task that `session` has opened, of those facts, or takes up a lint that was kept. A
// sitting that does nothing but lint always lints anew. A lint that finds no class to rely on is
// not kept: an unlucky input may make one of a good task, and a second look costs seconds.
Result<Admission> lint(measure::Session& session, const measure::SessionSettings& settings,
                       const Task& task, Policy policy, const TaskFacts& facts);

}  // namespace cupel::engine
