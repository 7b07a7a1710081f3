// Seeded pseudo-random numbers (xoshiro256**, Blackman and Vigna 2018, seeded by
// splitmix64) and secret seeds from the kernel. Not for cryptography.
#pragma once

#include <array>
#include <cstdint>

namespace cupel {

class Rng {
 public:
  explicit Rng(std::uint64_t seed);
  std::uint64_t next();
  // Uniform in [0, bound); bound > 0. Unbiased (rejection).
  std::uint64_t below(std::uint64_t bound);
  // Uniform in [0, 1).
  double uniform();
  // An independent stream for a sub-task named by `stream`.
  Rng fork(std::uint64_t stream);

  template <class Container>
  void shuffle(Container& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      using std::swap;
      swap(items[i - 1], items[below(i)]);
    }
  }

 private:
  std::array<std::uint64_t, 4> state_{};
};

// 64 bits from getrandom(2): inputs' and weights' seeds, which no host may guess.
std::uint64_t secret_seed();

}  // namespace cupel
