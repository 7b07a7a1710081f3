// What an einsum sums: its equation, and what it costs to follow it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rewrite/graph_index.h"

namespace cupel::rewrite {

// A value, and the letter of each of its dimensions, none twice.
struct Lettered {
  std::string value;
  std::string letters;
};

struct Einsum {
  std::vector<Lettered> factors;
  std::string result;                 // letters of the result's dimensions
  std::map<char, std::int64_t> size;  // of each letter
};

// Nothing for other nodes; for dots, a letter twice in one factor, factors of several dtypes, and
// a size of one that is broadcast.
std::optional<Einsum> einsum_of(const GraphIndex& index, const GraphNode& node);

bool has_letter(const std::string& letters, char letter);
// Letters of either, those of `a` first.
std::string letters_of_both(const std::string& a, const std::string& b);
// Those of `letters` that are (or are not) among `others`, in their order.
std::string letters_among(const std::string& letters, const std::string& others, bool among = true);
// How many elements dimensions of these letters have.
double elements_of(const Einsum& einsum, const std::string& letters);

// How torch follows an equation, two factors at a time from the left.
struct EinsumWork {
  double operations = 0;
  double elements_between = 0;  // of the results that only the next step reads
  std::int64_t steps = 1;
};
EinsumWork work_of(const Einsum& einsum);

}  // namespace cupel::rewrite
