#include "engine/own_programs/provenance.h"

#include "propose/seeds/portfolio.h"

namespace cupel::engine {

Provenance::Provenance(const Task& task, const TaskFacts& facts, Policy policy,
                       std::string_view device) {
  for (const Seed& seed : propose::portfolio(task, facts, policy, Effort::full, device)) {
    ids_.insert(make_candidate(seed.source, seed.label).id);
  }
}

void Provenance::add(const std::vector<Seed>& seeds) {
  for (const Seed& seed : seeds) ids_.insert(make_candidate(seed.source, seed.label).id);
}

bool Provenance::made(const Candidate& candidate) const {
  return ids_.contains(make_candidate(candidate.source, "").id);
}

}  // namespace cupel::engine
