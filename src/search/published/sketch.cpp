#include "search/published/sketch.h"

#include <algorithm>

namespace cupel::search {
namespace {

// FNV-1a, finished by splitmix64's mixer so that all bits depend on all characters.
constexpr std::uint64_t k_fnv_basis = 0xcbf29ce484222325ULL;
constexpr std::uint64_t k_fnv_prime = 0x100000001b3ULL;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

void add_line(Sketch& sketch, std::uint64_t hash) {
  const std::uint64_t mixed = mix(hash);
  std::uint32_t& slot = sketch.slots[mixed >> 58];
  const auto value = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(mixed));
  slot = slot == 0 ? value : std::min(slot, value);
}

}  // namespace

Sketch sketch_of(std::string_view source) {
  Sketch sketch;
  std::uint64_t hash = k_fnv_basis;
  for (const char c : source) {
    if (c == '\n') {
      if (hash != k_fnv_basis) add_line(sketch, hash);
      hash = k_fnv_basis;
    } else if (!is_blank(c)) {
      hash = (hash ^ static_cast<unsigned char>(c)) * k_fnv_prime;
    }
  }
  if (hash != k_fnv_basis) add_line(sketch, hash);
  return sketch;
}

double distance(const Sketch& left, const Sketch& right) {
  int either = 0;
  int equal = 0;
  for (std::size_t i = 0; i < left.slots.size(); ++i) {
    if (left.slots[i] == 0 && right.slots[i] == 0) continue;
    ++either;
    equal += left.slots[i] == right.slots[i] ? 1 : 0;
  }
  return either == 0 ? 0 : 1 - static_cast<double>(equal) / either;
}

}  // namespace cupel::search
