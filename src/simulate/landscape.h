// A synthetic task: what could be done to a program, what each thing gains, how hard it is.
// docs/simulator.md says why it looks like this, and which number comes from where.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"

namespace cupel::simulate {

// Gains are natural logarithms of speedups. "fitted" names what was fitted to a published figure;
// "assumed" values are varied by the sensitivity analysis.
struct LandscapeParameters {
  int approaches = 6;              // assumed: ways to write the program; one excludes the others
  int ideas = 6;                   // chosen: few, so that gains flatten after 100 queries
  double gain_scale = 0.148;       // fitted: mean of an idea's gain
  double task_sigma = 0.6;         // assumed: spread of log(gain_scale) between tasks
  double approach_sigma = 0.2;     // assumed: spread of log(gain) between approaches of a task
  double idea_sigma = 1.5;         // assumed: spread of log(gain) between ideas: heavy-tailed
  double dud_share = 0.3;          // assumed: ideas that make the program slower
  double salience_exponent = 1.0;  // assumed: the k-th idea to come to mind has weight k^-this
  double failure_odds = 0.67;      // fitted: odds that an idea of median gain fails at first
  double failure_slope = 0.5;      // assumed: log odds more per standard deviation of the log gain
  double automatable_share = 0.810;  // fitted: ideas that a free variant already carries out
};

// One optimization within an approach.
struct Idea {
  double gain = 0;      // carried out perfectly; negative for a dud
  double salience = 0;  // how readily an agent thinks of it
  double failure = 0;   // probability that its first implementation fails
  bool automatable = false;
};

struct Approach {
  double salience = 0;
  std::vector<Idea> ideas;
};

// A number that comes with an idea and that its author marked as free to choose.
struct Number {
  double drawn = 0;  // the idea's quality as it was written
  int choices = 0;   // 0: the idea came with none
  int chosen = 0;
};

// How far an approach's ideas are carried out; the original program has no approach.
struct Program {
  int approach = -1;
  bool on_seed = false;         // built on the free variant, which has the automatable ideas
  std::vector<double> quality;  // per idea of the approach, 0 (left out) to 1
  std::vector<Number> numbers;  // per idea
};

// A task. Immutable after construction; thread-safe.
class Landscape {
 public:
  // Equal arguments give the same task.
  Landscape(const LandscapeParameters& parameters, std::uint64_t seed);

  const std::vector<Approach>& approaches() const { return approaches_; }
  // Logarithm of the program's true speedup over the original.
  double log_gain(const Program& program) const;
  // ... of the best program that there is: the best approach with all its useful ideas.
  double log_optimum() const;
  // ... of the free variant: the automatable ideas of the approach that most readily comes to
  // mind, which is what compilers are built for.
  double log_seed() const { return log_seed_; }
  // The free variant as a program.
  Program seed() const;
  // The original as a program of that approach, nothing carried out yet.
  Program blank(std::size_t approach) const;

 private:
  Approach make_approach(const LandscapeParameters& parameters, double scale, int rank, Rng& rng);

  std::vector<Approach> approaches_;
  double log_seed_ = 0;
};

}  // namespace cupel::simulate
