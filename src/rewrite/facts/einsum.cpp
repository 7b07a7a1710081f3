#include "rewrite/facts/einsum.h"

#include <algorithm>
#include <cctype>

namespace cupel::rewrite {
namespace {

// "ab,bc->ac" as {"ab", "bc", "ac"}; nothing where it says more than letters.
std::optional<std::vector<std::string>> terms_of(const std::string& equation) {
  std::vector<std::string> terms(1);
  bool arrow = false;
  for (std::size_t i = 0; i < equation.size(); ++i) {
    const char c = equation[i];
    if (c == ' ') continue;
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      if (has_letter(terms.back(), c)) return std::nullopt;
      terms.back() += c;
    } else if (c == ',' && !arrow) {
      terms.emplace_back();
    } else if (c == '-' && !arrow && i + 1 < equation.size() && equation[i + 1] == '>') {
      arrow = true;
      ++i;
      terms.emplace_back();
    } else {
      return std::nullopt;
    }
  }
  if (arrow) return terms;
  // Without an arrow: the letters that stand once, in the order of the alphabet.
  std::string all, once;
  for (const std::string& term : terms) all += term;
  std::ranges::copy_if(all, std::back_inserter(once),
                       [&](char c) { return std::ranges::count(all, c) == 1; });
  std::ranges::sort(once);
  terms.push_back(once);
  return terms;
}

bool takes(Einsum& einsum, const TensorSpec& spec, const std::string& letters) {
  if (spec.shape.size() != letters.size()) return false;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const auto [known, is_new] = einsum.size.try_emplace(letters[i], spec.shape[i]);
    if (!is_new && known->second != spec.shape[i]) return false;
  }
  return true;
}

}  // namespace

std::optional<Einsum> einsum_of(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "einsum" || !is_floating(spec_of(node))) return std::nullopt;
  auto terms = terms_of(argument(node, "equation").text);
  std::vector<std::string> values;
  collect_nodes(argument(node, "tensors"), values);
  if (!terms || terms->size() != values.size() + 1) return std::nullopt;
  Einsum found;
  found.result = terms->back();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TensorSpec& spec = spec_of(index.node(values[i]));
    if (spec.dtype != spec_of(node).dtype || !takes(found, spec, (*terms)[i])) return std::nullopt;
    found.factors.push_back({values[i], (*terms)[i]});
  }
  const bool known =
      std::ranges::all_of(found.result, [&](char letter) { return found.size.contains(letter); });
  return known ? std::optional(found) : std::nullopt;
}

bool has_letter(const std::string& letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

std::string letters_of_both(const std::string& a, const std::string& b) {
  return a + letters_among(b, a, false);
}

std::string letters_among(const std::string& letters, const std::string& others, bool among) {
  std::string found;
  std::ranges::copy_if(letters, std::back_inserter(found),
                       [&](char letter) { return has_letter(others, letter) == among; });
  return found;
}

double elements_of(const Einsum& einsum, const std::string& letters) {
  double count = 1;
  for (const char letter : letters) count *= static_cast<double>(einsum.size.at(letter));
  return count;
}

EinsumWork work_of(const Einsum& einsum) {
  EinsumWork work;
  std::string done = einsum.factors.front().letters;
  if (einsum.factors.size() == 1) work.operations = elements_of(einsum, done);
  work.steps = std::max<std::int64_t>(static_cast<std::int64_t>(einsum.factors.size()) - 1, 1);
  for (std::size_t i = 1; i < einsum.factors.size(); ++i) {
    const std::string both = letters_of_both(done, einsum.factors[i].letters);
    work.operations += 2 * elements_of(einsum, both);
    std::string needed = einsum.result;
    for (std::size_t j = i + 1; j < einsum.factors.size(); ++j) {
      needed += einsum.factors[j].letters;
    }
    done = letters_among(both, needed);
    if (i + 1 < einsum.factors.size()) work.elements_between += elements_of(einsum, done);
  }
  return work;
}

}  // namespace cupel::rewrite
