// The task's program rewritten by algebra, as free seeds.
#pragma once

#include <vector>

#include "engine/evaluator.h"
#include "engine/sitting.h"
#include "model/seed.h"

namespace cupel::engine {

// Adds what the rules found for the task of the sitting, plain and under torch.compile, and marks a
// task whose graph proves that its inputs do not matter. A program that cannot be told as a graph
// adds nothing. Seeds stay in the order of their compile times.
void add_rewrites(Sitting& sitting, Admitted& admitted, std::vector<Seed>& seeds);

}  // namespace cupel::engine
