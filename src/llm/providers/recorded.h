// A run's replies once more: a replay asks nobody and pays nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "llm/providers/provider.h"

namespace cupel::llm {

struct RecordedReply {
  Reply reply;
  std::int64_t nano_usd_max = 0;  // what was reserved for it then
};

// Answers each proposal as it was answered before. A reply's `nano_usd` is what it cost then, so
// that a ledger that replays the run decides as it did. What the record lacks is a failed reply.
// Thread-safe, because nothing changes.
class Recorded final : public Provider {
 public:
  Recorded(std::string name, std::map<std::string, RecordedReply> replies)
      : name_(std::move(name)), replies_(std::move(replies)) {}

  std::string name() const override { return name_; }
  int concurrency_max() const override;
  std::int64_t nano_usd_max(const Prompt& prompt) const override;
  Reply ask(const Prompt& prompt, const StopFlag& stop) override;

 private:
  const std::string name_;
  const std::map<std::string, RecordedReply> replies_;
};

}  // namespace cupel::llm
