// Reading what several commands take: tasks, candidates, a silent or a live progress sink.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/doors/progress.h"
#include "model/candidate.h"
#include "model/task.h"
#include "options.h"

namespace cupel::cli {

Result<Task> load_task(const Options& options);

// The file as a candidate, labelled with its path as typed. An input error if it is empty,
// or another program to some readers than to others (base/source_text.h).
Result<Candidate> read_candidate(const std::string& file);
Result<std::vector<Candidate>> read_candidates(const std::vector<std::string>& files);

// "a" and "b" of "a,b"; what is empty is left out.
std::vector<std::string> listed(const std::string& text);

// Live on stderr; silent with --quiet or --json.
std::unique_ptr<engine::ProgressSink> progress_sink(const Options& options);

// A status of one program, from outside a run.
void show(engine::ProgressSink& sink, engine::Stage stage, const std::string& subject);

}  // namespace cupel::cli
