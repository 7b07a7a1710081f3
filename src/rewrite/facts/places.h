// Places along a dimension, one at a time: what loops that a program writes out take and lay
// together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rewrite/patch.h"

namespace cupel::rewrite {

// x[:, i] or x[:, i:i+1]: selected, sliced, or a piece of unbind(), split() or chunk().
struct Place {
  std::string of;
  std::int64_t dim = 0, index = 0;
  bool keeps = false;  // the dimension, with size 1

  bool is_like(const Place& other) const {
    return of == other.of && dim == other.dim && keeps == other.keeps;
  }
};

// Nothing where the value is no single place of another one.
std::optional<Place> place_of(const GraphIndex& index, const std::string& value);
// The same place of another tensor of as many dimensions.
std::string picked(PatchBuilder& build, const Place& place, const std::string& whole);

struct Stacked {
  std::vector<std::string> members;
  std::int64_t dim = 0;
};

// stack() or cat() of several.
std::optional<Stacked> stacked_of(const GraphNode& node);

}  // namespace cupel::rewrite
