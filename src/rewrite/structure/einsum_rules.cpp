// Equations of einsum as products of matrices, so that what is known of products holds for them.
#include "rewrite/facts/einsum.h"
#include "rewrite/facts/rules.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

constexpr std::size_t k_factors_max = 5;  // 180 orders of pairs
// What another order must save: torch's own lays its results out so that the next step copies less.
constexpr double k_gain_wanted = 2;

// Letters of a factor on the way, and whether it follows from weights alone.
struct Factor {
  std::string letters;
  bool is_static = false;
};

// Two factors to multiply next, and what all products from there on take in a call.
struct Pair {
  std::size_t first = 0, second = 1;
  double work = 0;
  int steps = 0;  // in a call
};

std::string needed_beside(const std::vector<Factor>& factors, const std::string& result,
                          std::size_t first, std::size_t second) {
  std::string needed = result;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (i != first && i != second) needed += factors[i].letters;
  }
  return needed;
}

// The factors with the product of two in the place of the first; what it takes is added.
std::vector<Factor> multiplied(const Einsum& einsum, std::vector<Factor> factors, std::size_t first,
                               std::size_t second, double& work) {
  const std::string both = letters_of_both(factors[first].letters, factors[second].letters);
  const std::string left =
      letters_among(both, needed_beside(factors, einsum.result, first, second));
  const bool is_static = factors[first].is_static && factors[second].is_static;
  if (!is_static) work += elements_of(einsum, both) + elements_of(einsum, left);
  factors[first] = {left, is_static};
  factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(second));
  return factors;
}

// The cheapest of all orders; of several the one from the left.
Pair best_pair(const Einsum& einsum, const std::vector<Factor>& factors) {
  Pair best;
  bool is_first = true;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (std::size_t j = i + 1; j < factors.size(); ++j) {
      Pair pair{i, j, 0, factors[i].is_static && factors[j].is_static ? 0 : 1};
      const auto rest = multiplied(einsum, factors, i, j, pair.work);
      if (rest.size() > 1) {
        const Pair then = best_pair(einsum, rest);
        pair.work += then.work;
        pair.steps += then.steps;
      }
      if (is_first || pair.work < best.work) best = pair;
      is_first = false;
    }
  }
  return best;
}

std::vector<Factor> factors_of(const Einsum& einsum, const GraphIndex* index) {
  std::vector<Factor> factors;
  for (const Lettered& each : einsum.factors) {
    factors.push_back({each.letters, index != nullptr && index->is_static(each.value)});
  }
  return factors;
}

// As torch takes them: from the left, all in each call.
double work_from_the_left(const Einsum& einsum) {
  double work = 0;
  for (auto factors = factors_of(einsum, nullptr); factors.size() > 1;) {
    factors = multiplied(einsum, factors, 0, 1, work);
  }
  return work;
}

// Whether another order than torch's is worth it: by its work, or since weights meet before a call.
bool gains(const Einsum& einsum, const std::vector<Factor>& factors) {
  if (factors.size() < 2) return false;
  const Pair best = best_pair(einsum, factors);
  const double plain = work_from_the_left(einsum);
  const bool fewer_steps = best.steps + 1 < static_cast<int>(factors.size());
  return best.work * k_gain_wanted <= plain || (fewer_steps && best.work < plain);
}

// One product of matrices whose factors and result lie as the equation has them.
bool moves_nothing(const Einsum& einsum) {
  if (einsum.factors.size() != 2) return einsum.factors.size() == 1;
  const std::string& a = einsum.factors[0].letters;
  const std::string& b = einsum.factors[1].letters;
  const std::string both = letters_among(a, b);
  const std::string batch = letters_among(both, einsum.result);
  const std::string summed = letters_among(both, batch, false);
  const std::string rows = letters_among(a, both, false);
  const std::string columns = letters_among(b, both, false);
  const bool turned = summed.size() == 1 && b == batch + columns + summed && columns.size() == 1;
  return !summed.empty() && a == batch + rows + summed &&
         (b == batch + summed + columns || turned) && einsum.result == batch + rows + columns;
}

// Makes the products of one equation.
class Products {
 public:
  Products(PatchBuilder& build, const Einsum& einsum) : build_(build), einsum_(einsum) {}

  std::string all(std::vector<Factor> factors) {
    std::vector<Lettered> left = einsum_.factors;
    while (left.size() > 1) {
      const Pair pair = best_pair(einsum_, factors);
      const std::string needed = needed_beside(factors, einsum_.result, pair.first, pair.second);
      left[pair.first] = product(left[pair.first], left[pair.second], needed);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(pair.second));
      factors = multiplied(einsum_, factors, pair.first, pair.second, unused_);
      factors[pair.first].letters = left[pair.first].letters;
    }
    return ordered(summed(left.front(), einsum_.result), einsum_.result).value;
  }

 private:
  Sizes sizes(const std::string& letters) const {
    Sizes found;
    for (const char letter : letters) found.push_back(einsum_.size.at(letter));
    return found;
  }

  std::int64_t count(const std::string& letters) const { return element_count(sizes(letters)); }

  // Without the letters that nobody needs.
  Lettered summed(const Lettered& x, const std::string& needed) {
    const std::string kept = letters_among(x.letters, needed);
    if (kept == x.letters) return x;
    Sizes dims;
    for (std::size_t i = 0; i < x.letters.size(); ++i) {
      if (!has_letter(needed, x.letters[i])) dims.push_back(static_cast<std::int64_t>(i));
    }
    return {build_.reshape(build_.reduce(false, x.value, dims), sizes(kept)), kept};
  }

  Lettered ordered(const Lettered& x, const std::string& letters) {
    if (x.letters == letters) return x;
    Sizes dims;
    for (const char letter : letters) {
      dims.push_back(static_cast<std::int64_t>(x.letters.find(letter)));
    }
    return {build_.permute(x.value, dims), letters};
  }

  // With size one for what the other factor has alone.
  std::string beside(const Lettered& x, const std::string& letters) {
    Sizes shape;
    for (const char letter : letters) {
      shape.push_back(has_letter(x.letters, letter) ? einsum_.size.at(letter) : 1);
    }
    return build_.reshape(ordered(x, letters_among(letters, x.letters)).value, shape);
  }

  Lettered product(Lettered a, Lettered b, const std::string& needed) {
    a = summed(a, needed + b.letters);
    b = summed(b, needed + a.letters);
    const std::string both = letters_among(a.letters, b.letters);
    const std::string batch = letters_among(both, needed);
    if (batch == both) {
      const std::string all = letters_of_both(a.letters, b.letters);
      const bool last =
          letters_among(all, einsum_.result) == all && all.size() == einsum_.result.size();
      const std::string order = last ? einsum_.result : all;
      return {build_.times(beside(a, order), beside(b, order)), order};
    }
    // The factor whose letters come first in the result is the left one.
    const std::string right_first = batch + letters_among(b.letters, both, false);
    if (!einsum_.result.empty() && einsum_.result.starts_with(right_first) &&
        right_first.size() > batch.size()) {
      std::swap(a, b);
    }
    return matrices(a, b, batch, letters_among(both, batch, false));
  }

  Lettered matrices(const Lettered& a, const Lettered& b, const std::string& batch,
                    const std::string& summed_up) {
    const std::string rows = letters_among(a.letters, batch + summed_up, false);
    const std::string columns = letters_among(b.letters, batch + summed_up, false);
    Sizes left = sizes(batch);
    Sizes right = sizes(batch);
    // Rows may stay as they are beside one matrix.
    const Sizes apart = batch.empty() && !rows.empty() ? sizes(rows) : Sizes{count(rows)};
    left.insert(left.end(), apart.begin(), apart.end());
    left.push_back(count(summed_up));
    right.push_back(count(summed_up));
    right.push_back(count(columns));
    const std::string product =
        build_.matmul(build_.reshape(ordered(a, batch + rows + summed_up).value, left),
                      build_.reshape(ordered(b, batch + summed_up + columns).value, right));
    const std::string letters = batch + rows + columns;
    return {build_.reshape(product, sizes(letters)), letters};
  }

  PatchBuilder& build_;
  const Einsum& einsum_;
  double unused_ = 0;
};

Found as_products(const GraphIndex& index, const GraphNode& node) {
  const auto einsum = einsum_of(index, node);
  if (!einsum || einsum->factors.size() > k_factors_max) return std::nullopt;
  const auto factors = factors_of(*einsum, &index);
  if (!gains(*einsum, factors) && !moves_nothing(*einsum)) return std::nullopt;
  PatchBuilder build(index);
  const std::string result = Products(build, *einsum).all(factors);
  if (result == einsum->factors.front().value) {  // the equation moves and sums nothing
    return Patch{{}, {{node.name, result}}};
  }
  return std::move(build).done(node.name, result);
}

constexpr Rule k_rules[] = {
    {"einsum as products",
     "letters that only two factors have and nobody else needs are summed in a product of matrices",
     Rounding::reorders, Kept::always, as_products, Tf32::stricter_switch},
};

}  // namespace

std::span<const Rule> einsum_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
