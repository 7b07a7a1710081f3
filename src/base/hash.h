// SHA-256 content addresses. A Hasher takes typed, delimited fields, so that
// ("ab","c") and ("a","bc") never collide (the lesson of ccache's hash_delimiter).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cupel {

// Length in hex digits of the short form that people see and type.
inline constexpr std::size_t k_short_id_chars = 12;

// Two lower-case hex digits a byte.
std::string to_hex(std::string_view bytes);

// SHA-256 of `bytes` as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

// The same of a file's bytes, which need not fit memory. An input error if it cannot be read.
Result<std::string> sha256_of_file(const std::filesystem::path& path);

// The first k_short_id_chars digits.
std::string short_id(std::string_view id);

// Accumulates named fields into one digest. Not thread-safe; finish() ends its use.
class Hasher {
 public:
  // `domain` separates kinds of keys ("task", "candidate", "build") from each other.
  explicit Hasher(std::string_view domain);
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  Hasher& add(std::string_view name, std::string_view value);
  Hasher& add(std::string_view name, std::int64_t value);

  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cupel
