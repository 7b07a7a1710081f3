// The free portfolio: everything that makes a program faster without anybody writing code.
#pragma once

#include <string_view>
#include <vector>

#include "model/run.h"
#include "model/seed.h"
#include "model/task.h"

namespace cupel::propose {

// The free variants worth trying on a device, "cpu" or "cuda", cheapest first, names unique. What
// cannot apply to the task is left out; `effort` bounds the number (quick: at most 8 on a CPU and
// 10 on a GPU, normal: 24 and 32, full: all products). Always holds "eager" (a control: the judge
// must call it the same) and "compile".
std::vector<Seed> portfolio(const Task& task, const TaskFacts& facts, Policy policy, Effort effort,
                            std::string_view device = "cpu");

// A program of ours, not the task's, under torch.compile: "NAME+compile", and "NAME+freezing".
// `source` defines the class `base`, which keeps the constructor and the parameters' names.
std::vector<Seed> compiled_seeds(const Seed& program, std::string_view source,
                                 std::string_view base);

// The portfolio for an NVIDIA GPU alone; portfolio() comes here for "cuda".
std::vector<Seed> gpu_portfolio(const Task& task, const TaskFacts& facts, Policy policy,
                                Effort effort);

}  // namespace cupel::propose
