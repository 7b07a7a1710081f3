// The free portfolio: everything that makes a program faster without anybody writing code.
#pragma once

#include <string>
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

// A program of ours that computes what the task does. Its class keeps the constructor and the
// parameters' names, has a prepare(), and may be cast to another floating dtype.
struct Derived {
  std::string name;   // of its own seed
  std::string label;  // for people
  std::string source;
  std::string base;  // the class
};

// What is worth trying on top of such a program: compilers, graphs, and the layout and precision
// that are best under the policy. Names are "NAME+compile" and the like.
std::vector<Seed> portfolio_on(const Derived& program, const Task& task, const TaskFacts& facts,
                               Policy policy, Effort effort, std::string_view device);

// The two for an NVIDIA GPU alone; the others come here for "cuda".
std::vector<Seed> gpu_portfolio(const Task& task, const TaskFacts& facts, Policy policy,
                                Effort effort);
std::vector<Seed> gpu_portfolio_on(const Derived& program, const Task& task, const TaskFacts& facts,
                                   Policy policy, Effort effort);

}  // namespace cupel::propose
