// Which question a reply belongs to, where replies lie in files.
#pragma once

#include <string>
#include <string_view>

#include "model/exchange.h"

namespace cupel::llm {

// Twelve hex digits of the prompt's content: agent, system and user text.
std::string question_hash(const Prompt& prompt);

// Letters, digits, "-", "_" and ".", no "." in front: a file may be named so.
bool is_file_name(std::string_view name);

// 12 for "p0012"; 0 without a number.
std::size_t number_of(std::string_view proposal_id);

}  // namespace cupel::llm
