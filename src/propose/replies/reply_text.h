// A reply as text: made regular, and taken apart into code blocks and prose. Linear; any bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cupel::propose {

// UTF-8 with '\n' line ends: carriage returns, NUL bytes and a byte order mark are dropped, invalid
// bytes replaced, and what a reasoning model thought aloud (up to "</think>") is left out.
std::string regular_text(std::string_view text);

// What stood between fences, without them.
struct CodeBlock {
  std::string language;  // as written behind the fence, lower case: "python", "diff", ""
  std::string text;      // every line ends with '\n'
  bool closed = true;
};
std::vector<CodeBlock> code_blocks(std::string_view text);

// The text without its code blocks.
std::string prose_of(std::string_view text);

// The Python module in a reply without fences: prose before and after is cut off.
std::string bare_module(std::string_view text);

}  // namespace cupel::propose
