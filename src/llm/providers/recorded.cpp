#include "llm/providers/recorded.h"

#include <algorithm>

namespace cupel::llm {
namespace {

constexpr int k_concurrency_max = 1024;  // nothing is waited for

}  // namespace

int Recorded::concurrency_max() const {
  return k_concurrency_max;
}

std::int64_t Recorded::nano_usd_max(const Prompt& prompt) const {
  const auto found = replies_.find(prompt.proposal_id);
  if (found == replies_.end()) return 0;
  return std::max(found->second.nano_usd_max, found->second.reply.nano_usd);
}

Reply Recorded::ask(const Prompt& prompt, const StopFlag&) {
  const auto found = replies_.find(prompt.proposal_id);
  if (found != replies_.end()) return found->second.reply;
  Reply missing;
  missing.problem = "the journal holds no reply for " + prompt.proposal_id;
  return missing;
}

}  // namespace cupel::llm
