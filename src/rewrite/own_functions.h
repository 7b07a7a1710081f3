// Functions of ours that rewritten programs bring along: what the operators "cupel.NAME" are.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded.h"
#include "model/graph.h"

namespace cupel::rewrite {

// The files that they lie in (text/*.py).
std::span<const EmbeddedFile> own_function_files();

// Those that the operators of these graphs are, as Python: each once.
std::string own_functions(const std::vector<const Graph*>& graphs);

// Gives functions that `text` brings along other names where the task's source has their names.
void keep_apart(std::string& text, std::string_view source);

// Whether a character may be part of a name.
bool is_of_name(char c);
// Whether what begins there is a name of its own: no end of one, and no attribute.
bool begins_name(std::string_view text, std::size_t at);
// What stands behind a name, each time that a source has it as a whole word.
std::vector<std::size_t> ends_of(std::string_view source, std::string_view name);

}  // namespace cupel::rewrite
