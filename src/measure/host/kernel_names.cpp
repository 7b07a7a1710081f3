#include "measure/host/kernel_names.h"

#include <algorithm>

#include "base/words.h"

namespace cupel::measure {
namespace {

constexpr std::size_t k_name_bytes_max = 128;

}  // namespace

void KernelNames::add(const std::string& name) {
  const bool is_known = std::find(names_.begin(), names_.end(), name) != names_.end();
  const bool is_name = !name.empty() && name.size() <= k_name_bytes_max &&
                       std::all_of(name.begin(), name.end(), &is_word_char);
  if (is_name && !is_known && names_.size() < names_max_) names_.push_back(name);
}

}  // namespace cupel::measure
