// KernelBench's two ways to spend queries (Ouyang, Guo, Arora, Zhang, Hu, Re, Mirhoseini 2025,
// arXiv:2502.10517): repeated sampling, and iterative refinement.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "search/history/branches.h"
#include "search/step/strategy.h"

namespace cupel::search {

struct KernelBenchOptions {
  std::string name = "kernelbench";
  // Turns of a conversation: each but the first gets the verdict on the one before. 1: samples
  // that know nothing of each other. The paper refines over 10.
  int turns = 1;
  std::int64_t queries_max = 300;
};
inline constexpr int k_refinement_turns = 10;

// Conversations are the branches, turns the phases. A turn improves a correct program and mends a
// failing one; a conversation ends early with a suspect or a reply that repeats a program. New
// conversations begin while slots are free. Draws nothing.
class KernelBench final : public Strategy {
 public:
  explicit KernelBench(KernelBenchOptions options);
  std::string_view name() const override { return options_.name; }
  Step next(const History& history, const Budget& budget, Rng& rng) const override;

 private:
  Draft turn_after(const Branch& last) const;

  KernelBenchOptions options_;
};

}  // namespace cupel::search
