#include "base/rng.h"

#include <sys/random.h>

#include <bit>

#include "base/result.h"

namespace cupel {
namespace {

std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

Rng::Rng(std::uint64_t seed) {
  for (auto& word : state_) word = splitmix64(seed);
}

std::uint64_t Rng::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Rng::below(std::uint64_t bound) {
  CUPEL_CHECK(bound > 0);
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  std::uint64_t draw = next();
  while (draw >= limit) draw = next();
  return draw % bound;
}

double Rng::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

Rng Rng::fork(std::uint64_t stream) {
  return Rng(next() ^ (stream * 0x9e3779b97f4a7c15ULL));
}

std::uint64_t secret_seed() {
  std::uint64_t seed = 0;
  CUPEL_CHECK(getrandom(&seed, sizeof seed, 0) == sizeof seed);
  return seed;
}

}  // namespace cupel
