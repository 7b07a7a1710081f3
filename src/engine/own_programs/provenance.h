// Which programs Cupel wrote itself. Such a program is no adversary: it must be right, and its time
// is taken as it is. That is no label that a file, a journal or a reply could carry: the program's
// text is what the free portfolio, or the rules of algebra, make of the task.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/candidate.h"
#include "model/run.h"
#include "model/seed.h"
#include "model/task.h"

namespace cupel::engine {

class Provenance {
 public:
  Provenance() = default;  // knows none
  Provenance(const Task& task, const TaskFacts& facts, Policy policy, std::string_view device);

  // What else was made of the task here: in this process, from the task itself.
  void add(const std::vector<Seed>& seeds);

  // By the text itself: what the candidate says of its id is not asked.
  bool made(const Candidate& candidate) const;

 private:
  std::set<std::string> ids_;
};

}  // namespace cupel::engine
