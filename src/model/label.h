// What a reader of a program should know, found in its syntax tree. Triage, not proof: a label
// neither rejects nor acquits, and a program that hides what it does has none.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cupel {

struct Label {
  std::string label;  // "calls the reference": python/cupel/labels.py has all
  int line = 0;       // of the first place, counted from 1
};

// A candidate's labels, as the referee found them.
struct Labelled {
  std::string candidate_id;
  std::vector<Label> labels;
};

// By the candidate's id; empty for a program that was read and has none.
using ProgramLabels = std::map<std::string, std::vector<Label>>;
// A program's labels; none where it was not read.
std::vector<Label> labels_of(const ProgramLabels& all, const std::string& candidate_id);

// "calls the reference (line 3), triton (line 7)"; "" without labels.
std::string describe(const std::vector<Label>& labels);

// Whether a program looks like one that gains nothing over what is free, or that does not run.
bool looks_worthless(const std::vector<Label>& labels);

std::string encode(const Labelled& labelled);
Result<Labelled> decode_labelled(std::string_view json);
// Of the referee's reply: {"labels": [{"label", "line"}]}.
Result<std::vector<Label>> decode_labels(std::string_view json);

}  // namespace cupel
