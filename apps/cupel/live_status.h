// Shows how a run goes on: one line that is rewritten on a terminal, plain lines elsewhere.
#pragma once

#include <cstdio>

#include "engine/progress.h"
#include "report/style.h"

namespace cupel::cli {

class LiveStatus final : public engine::ProgressSink {
 public:
  // Writes to `stream`, which must outlive this object.
  LiveStatus(std::FILE* stream, bool terminal, report::Style style)
      : stream_(stream), terminal_(terminal), style_(style) {}
  ~LiveStatus() override { clear(); }
  LiveStatus(const LiveStatus&) = delete;
  LiveStatus& operator=(const LiveStatus&) = delete;

  void on_progress(const engine::Progress& progress) override;
  void on_judged(const Judged& judged) override;
  void on_note(const std::string& note) override;

 private:
  void clear();
  void line(const std::string& text);

  std::FILE* stream_;
  bool terminal_;
  report::Style style_;
  engine::Progress last_;
  bool started_ = false;
  bool shown_ = false;  // a status line stands on the terminal
};

// "judging 4 of 14  best 1.42x 1.40-1.44  12 s, about 40 s left  channels_last".
std::string status_text(const engine::Progress& progress);

}  // namespace cupel::cli
