// Equations of einsum as products of matrices, so that what is known of products holds for them.
#include "rewrite/facts/einsum.h"
#include "rewrite/facts/rules.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

constexpr std::size_t k_factors_max = 5;  // 180 orders of pairs

// Two factors to multiply next, and what all products from there on take.
struct Pair {
  std::size_t first = 0, second = 1;
  double work = 0;
};

std::string needed_beside(const std::vector<std::string>& letters, const std::string& result,
                          std::size_t first, std::size_t second) {
  std::string needed = result;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (i != first && i != second) needed += letters[i];
  }
  return needed;
}

// The cheapest of all orders; of several the one from the left.
Pair best_pair(const Einsum& einsum, const std::vector<std::string>& letters) {
  Pair best;
  bool is_first = true;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    for (std::size_t j = i + 1; j < letters.size(); ++j) {
      const std::string both = letters_of_both(letters[i], letters[j]);
      const std::string left =
          letters_among(both, needed_beside(letters, einsum.result, i, j));
      std::vector<std::string> rest = letters;
      rest[i] = left;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(j));
      double work = elements_of(einsum, both) + elements_of(einsum, left);
      if (rest.size() > 1) work += best_pair(einsum, rest).work;
      if (is_first || work < best.work) best = {i, j, work};
      is_first = false;
    }
  }
  return best;
}

// Makes the products of one equation.
class Products {
 public:
  Products(PatchBuilder& build, const Einsum& einsum) : build_(build), einsum_(einsum) {}

  std::string all() {
    std::vector<Lettered> left = einsum_.factors;
    while (left.size() > 1) {
      std::vector<std::string> letters;
      for (const Lettered& each : left) letters.push_back(each.letters);
      const Pair pair = best_pair(einsum_, letters);
      const std::string needed =
          needed_beside(letters, einsum_.result, pair.first, pair.second);
      left[pair.first] = product(left[pair.first], left[pair.second], needed);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(pair.second));
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
      const bool last = letters_among(all, einsum_.result) == all &&
                        all.size() == einsum_.result.size();
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
};

Found as_products(const GraphIndex& index, const GraphNode& node) {
  const auto einsum = einsum_of(index, node);
  if (!einsum || einsum->factors.size() > k_factors_max) return std::nullopt;
  PatchBuilder build(index);
  const std::string result = Products(build, *einsum).all();
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
