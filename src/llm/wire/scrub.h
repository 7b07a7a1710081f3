// Keeps keys out of whatever is shown, logged or journaled.
#pragma once

#include <string>
#include <string_view>

namespace cupel::llm {

class Scrubber {
 public:
  explicit Scrubber(std::string key) : key_(std::move(key)) {}
  // `text` with the key, and words that begin as the key does ("sk-abc***xyz", as services quote a
  // wrong key), replaced by "[key]".
  std::string scrub(std::string_view text) const;
  // `text` without the key itself; what merely begins alike may be part of a program.
  std::string scrub_whole(std::string_view text) const;

 private:
  const std::string key_;
};

}  // namespace cupel::llm
