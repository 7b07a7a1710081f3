// Kernels of a program, by what its host says.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cupel::measure {

// Names of kernels, each once; `names_max` of them. What is no identifier of C is none.
class KernelNames {
 public:
  explicit KernelNames(std::size_t names_max) : names_max_(names_max) {}
  void add(const std::string& name);
  const std::vector<std::string>& all() const { return names_; }

 private:
  std::size_t names_max_;
  std::vector<std::string> names_;
};
// A program has a few kernels; each costs the winner's audit a round...
inline constexpr std::size_t k_kernels_max = 8;
// ...but these are looked at together: as NAMES_MAX of python/cupel/own_kernels.py.
inline constexpr std::size_t k_sharing_kernels_max = 64;

}  // namespace cupel::measure
