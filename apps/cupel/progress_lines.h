// Progress for programs: one JSON object a line (docs/json.md, "Progress").
#pragma once

#include <cstdio>
#include <mutex>
#include <nlohmann/json_fwd.hpp>

#include "engine/doors/progress.h"

namespace cupel::cli {

// Thread-safe.
class ProgressLines final : public engine::ProgressSink {
 public:
  // Writes to `stream`, which must outlive this object.
  explicit ProgressLines(std::FILE* stream) : stream_(stream) {}

  void on_progress(const engine::Progress& progress) override;
  void on_judged(const Judged& judged) override;
  void on_note(const std::string& note) override;

 private:
  void write(const nlohmann::json& line);

  std::FILE* stream_;
  std::mutex mutex_;
};

}  // namespace cupel::cli
