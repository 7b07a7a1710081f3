// A reader that reads nothing: each answer has the form that is asked for, and is worried by about
// every third program.
#pragma once

#include <atomic>
#include <string>

#include "engine/rehearse/scripted_agents.h"
#include "propose/replies/reading.h"

namespace cupel::engine {

class ScriptedReader final : public llm::Provider {
 public:
  explicit ScriptedReader(const ScriptedAgentsSettings& settings) : script_(settings) {}

  std::string name() const override { return "reader"; }
  int concurrency_max() const override { return script_.concurrency_max(); }
  std::int64_t nano_usd_max(const Prompt& prompt) const override {
    return script_.nano_usd_max(prompt);
  }
  Reply ask(const Prompt& prompt, const StopFlag& stop) override {
    Reply reply = script_.ask(prompt, stop);
    ++asked;
    if (!reply.text.starts_with("class ModelNew")) return reply;  // fails, or is of no use
    const bool worried = prompt.proposal_id.back() % 3 == 0;
    reply.text = worried ? k_worry : propose::k_no_worries;
    return reply;
  }

  std::atomic<int> asked = 0;

 private:
  static constexpr const char* k_worry =
      "COMPUTES: yes\nCLOCKS: no\nKEEPS: yes - it has a dict\nFALLS BACK: no\n";

  ScriptedProvider script_;
};

}  // namespace cupel::engine
