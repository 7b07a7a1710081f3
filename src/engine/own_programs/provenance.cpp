#include "engine/own_programs/provenance.h"

#include <algorithm>

#include "propose/seeds/portfolio.h"

namespace cupel::engine {
namespace {

// A winner's file says in comments at its top what it is, and stays the program that it was. No
// comment there makes Python read another program: such files are refused.
std::string id_of(std::string_view source) {
  while (source.starts_with('#')) {
    source.remove_prefix(std::min(source.find('\n'), source.size() - 1) + 1);
  }
  return make_candidate(std::string(source), "").id;
}

}  // namespace

Provenance::Provenance(const Task& task, const TaskFacts& facts, Policy policy,
                       std::string_view device) {
  for (const Seed& seed : propose::portfolio(task, facts, policy, Effort::full, device)) {
    ids_.insert(id_of(seed.source));
  }
}

void Provenance::add(const std::vector<Seed>& seeds) {
  for (const Seed& seed : seeds) ids_.insert(id_of(seed.source));
}

bool Provenance::made(const Candidate& candidate) const {
  return ids_.contains(id_of(candidate.source));
}

}  // namespace cupel::engine
