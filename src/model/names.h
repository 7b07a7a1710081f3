// Enums and their names: one table an enum, read both ways.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace cupel {

template <class Enum, std::size_t N>
using NameTable = std::array<std::pair<Enum, std::string_view>, N>;

template <class Enum, std::size_t N>
std::string_view name_of(const NameTable<Enum, N>& table, Enum value) {
  for (const auto& [entry, name] : table) {
    if (entry == value) return name;
  }
  return "?";
}

// An input error that lists the known names.
template <class Enum, std::size_t N>
Result<Enum> value_of(const NameTable<Enum, N>& table, std::string_view text, const char* kind) {
  std::string known;
  for (const auto& [entry, name] : table) {
    if (name == text) return entry;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  return input_error("unknown " + std::string(kind) + " '" + std::string(text) + "'", "",
                     "one of: " + known);
}

}  // namespace cupel
