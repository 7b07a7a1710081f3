// What the reader, a cheap model, says of a program before it is judged. It orders and explains;
// it decides nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cupel {

// One worry, and its reason in the reader's words: one line, which may be empty.
struct Remark {
  std::string label;  // "keeps answers"
  std::string why;
};

struct Reading {
  std::vector<Remark> remarks;  // empty: it is worried by nothing
  std::string problem;          // why there is no answer of use; empty: there is one
  std::int64_t nano_usd = 0;    // what its questions cost
};

// By the candidate's id.
using Readings = std::map<std::string, Reading>;

// The end of a reading that was asked for, as an event.
struct ProgramRead {
  std::string proposal_id;  // "r0007", of the program of "p0007"
  std::string candidate_id;
  Reading reading;
};

// Whether somebody read the program and is worried.
bool has_remarks(const Readings& all, const std::string& candidate_id);

std::string encode(const ProgramRead& body);
Result<ProgramRead> decode_program_read(std::string_view json);

}  // namespace cupel
