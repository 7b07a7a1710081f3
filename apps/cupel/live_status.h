// Shows how a run goes on: one line that is rewritten on a terminal, plain lines elsewhere. On a
// terminal a thread keeps the line's clock going while the engine waits for a long compilation.
#pragma once

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "engine/doors/progress.h"
#include "report/words/style.h"

namespace cupel::cli {

class LiveStatus final : public engine::ProgressSink {
 public:
  // Writes to `stream`, which must outlive this object.
  LiveStatus(std::FILE* stream, bool terminal, report::Style style)
      : stream_(stream), terminal_(terminal), style_(style) {}
  ~LiveStatus() override;
  LiveStatus(const LiveStatus&) = delete;
  LiveStatus& operator=(const LiveStatus&) = delete;

  void on_progress(const engine::Progress& progress) override;
  void on_judged(const Judged& judged) override;
  void on_note(const std::string& note) override;

 private:
  // These need the lock.
  void clear();
  void line(const std::string& text);
  void draw();

  void keep_clock_going();

  std::FILE* stream_;
  bool terminal_;
  report::Style style_;
  SystemClock clock_;
  std::mutex mutex_;
  std::condition_variable wake_;
  engine::Progress last_;
  std::int64_t told_ns_ = 0;  // when it was last_
  bool started_ = false;
  bool shown_ = false;  // a status line stands on the terminal
  bool ended_ = false;
  std::thread ticker_;  // only on a terminal
};

// What `progress` has become `seconds` later, as far as anybody knows.
engine::Progress later(engine::Progress progress, double seconds);

// "judging 4 of 14  best 1.42x 1.40-1.44  12 s, about 40 s left  channels_last".
std::string status_text(const engine::Progress& progress);

}  // namespace cupel::cli
