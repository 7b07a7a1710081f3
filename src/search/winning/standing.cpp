#include "search/winning/standing.h"

namespace cupel::search {

bool is_earlier(std::string_view left_id, std::string_view right_id) {
  if (left_id.size() != right_id.size()) return left_id.size() < right_id.size();
  return left_id < right_id;
}

bool is_free(const Proposal& proposal) {
  return proposal.kind == Proposal::Kind::seed || proposal.kind == Proposal::Kind::file;
}

double speed_of(const Judged& judged) {
  return judged.verdict.ratios.empty() ? 0 : judged.verdict.ratios.front().ratio;
}

bool ranks_before(const Judged& left, const Judged& right) {
  const double left_speed = speed_of(left);
  const double right_speed = speed_of(right);
  if (left_speed != right_speed) return left_speed > right_speed;
  return is_earlier(left.proposal.id, right.proposal.id);
}

bool is_mendable(Outcome outcome) {
  switch (outcome) {
    case Outcome::wrong:
    case Outcome::build_error:
    case Outcome::runtime_error:
    case Outcome::timeout:
    case Outcome::out_of_memory:
    case Outcome::invalid_reply:
      return true;
    default:
      return false;
  }
}

}  // namespace cupel::search
