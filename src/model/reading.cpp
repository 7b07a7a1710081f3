#include "model/reading.h"

#include "model/codec.h"

namespace cupel {

CUPEL_JSON_STRUCT(Remark, label, why)
CUPEL_JSON_STRUCT(Reading, remarks, problem, nano_usd)
CUPEL_JSON_STRUCT(ProgramRead, proposal_id, candidate_id, reading)

bool has_remarks(const Readings& all, const std::string& candidate_id) {
  const auto found = all.find(candidate_id);
  return found != all.end() && !found->second.remarks.empty();
}

std::string encode(const ProgramRead& body) {
  return encode_value(body);
}

Result<ProgramRead> decode_program_read(std::string_view json) {
  return decode_value<ProgramRead>(json, "reading");
}

}  // namespace cupel
