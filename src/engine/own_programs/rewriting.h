// The task's program rewritten by algebra, as free seeds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/doors/evaluator.h"
#include "engine/doors/sitting.h"
#include "model/graph.h"
#include "model/seed.h"

namespace cupel::engine {

// What seeds are chosen by, as in propose::portfolio().
struct SeedChoice {
  const TaskFacts& facts;
  Policy policy = Policy::eager;
  Effort effort = Effort::quick;
  std::string_view device = "cpu";
};

// What the rules found in a task's graph.
struct Rewritten {
  std::vector<Seed> seeds;              // each program plain, and what is free on top of it
  std::vector<std::string> degenerate;  // sentences that prove that the inputs do not matter
};

// Pure, and the same for the same arguments: whose program a text is can be told from it.
Rewritten rewritten(const Task& task, const GraphExport& exported, const SeedChoice& choice);
// Whether a program says of itself that it is one of these.
bool looks_rewritten(const Candidate& program);
// Of these among `seeds` the shortest, without a compiler on top; null if there is none.
const Seed* plainest_rewritten(const std::vector<Seed>& seeds);

// Adds what the rules found for the task of the sitting, and marks a task whose graph proves that
// its inputs do not matter. A program that cannot be told as a graph adds nothing. Seeds stay in
// the order of their compile times.
void add_rewrites(Sitting& sitting, Admitted& admitted, std::vector<Seed>& seeds);

}  // namespace cupel::engine
