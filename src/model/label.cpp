#include "model/label.h"

#include <algorithm>
#include <array>

#include "model/codec.h"

namespace cupel {
namespace {

constexpr auto k_worthless = std::to_array<std::string_view>(
    {"does not parse", "calls the reference", "falls back in except", "only torch.compile"});

}  // namespace

CUPEL_JSON_STRUCT(Label, label, line)
CUPEL_JSON_STRUCT(Labelled, candidate_id, labels)

std::vector<Label> labels_of(const ProgramLabels& all, const std::string& candidate_id) {
  const auto found = all.find(candidate_id);
  return found == all.end() ? std::vector<Label>() : found->second;
}

std::string describe(const std::vector<Label>& labels) {
  std::string text;
  for (const Label& one : labels) {
    text += (text.empty() ? "" : ", ") + one.label + " (line " + std::to_string(one.line) + ")";
  }
  return text;
}

bool looks_worthless(const std::vector<Label>& labels) {
  return std::any_of(labels.begin(), labels.end(), [](const Label& one) {
    return std::find(k_worthless.begin(), k_worthless.end(), one.label) != k_worthless.end();
  });
}

std::string encode(const Labelled& labelled) {
  return encode_value(labelled);
}

Result<Labelled> decode_labelled(std::string_view json) {
  return decode_value<Labelled>(json, "labels");
}

Result<std::vector<Label>> decode_labels(std::string_view json) {
  CUPEL_TRY(Labelled found, decode_value<Labelled>(json, "labels"));
  return std::move(found.labels);
}

}  // namespace cupel
