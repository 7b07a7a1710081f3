#include "live_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "report/run/run_report.h"
#include "report/words/numbers.h"

namespace cupel::cli {
namespace {

using engine::Progress;
using engine::Stage;

std::string stage_text(const Progress& progress) {
  switch (progress.stage) {
    case Stage::admit:
      return "linting the task";
    case Stage::propose:
      return "collecting candidates";
    case Stage::judge:
      return fmt::format("judging {} of {}", progress.judged + 1, progress.planned);
    case Stage::final_table:
      return "final round";
    case Stage::audit:
      return "auditing";
    case Stage::ship:
      return "writing the winner";
    case Stage::done:
      break;
  }
  return "done";
}

// Often enough to look alive, and so seldom that no measurement is the worse for it.
constexpr std::chrono::seconds k_redraw_every{5};

// Without a terminal only these are worth a line; the judged candidates have their own.
bool is_landmark(Stage stage) {
  return stage == Stage::admit || stage == Stage::final_table || stage == Stage::audit;
}

std::string lanes_text(const Progress& progress) {
  std::string text;
  if (progress.asking > 0) text += fmt::format(", asking {}", progress.asking);
  if (progress.building > 0) text += fmt::format(", building {}", progress.building);
  return text;
}

// "  $0.42 of $5.00, 31 of 300 queries".
std::string cost_text(const Progress& progress) {
  if (!progress.has_agents) return "";
  std::string text = "  " + report::money_text(progress.cost_usd);
  if (progress.usd_max > 0) text += " of " + report::money_text(progress.usd_max);
  text += fmt::format(", {}", progress.queries);
  if (progress.queries_max > 0) text += fmt::format(" of {}", progress.queries_max);
  return text + " queries";
}

}  // namespace

std::string status_text(const Progress& progress) {
  std::string text = stage_text(progress) + lanes_text(progress) + cost_text(progress);
  if (!progress.best_label.empty()) text += "  best " + report::ratio_text(progress.best);
  if (progress.elapsed_s > 0) text += "  " + report::seconds_text(progress.elapsed_s);
  if (progress.eta_s >= 0) {
    text += fmt::format(", about {} left", report::seconds_text(progress.eta_s));
  }
  if (!progress.subject.empty()) text += "  " + progress.subject;
  return text;
}

Progress later(Progress progress, double seconds) {
  progress.elapsed_s += seconds;
  // Past its estimate nobody knows how much longer it takes.
  if (progress.eta_s >= 0)
    progress.eta_s = progress.eta_s > seconds ? progress.eta_s - seconds : -1;
  return progress;
}

LiveStatus::~LiveStatus() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    clear();
  }
  wake_.notify_all();
  if (ticker_.joinable()) ticker_.join();
}

void LiveStatus::on_progress(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  const bool new_stage = !started_ || progress.stage != last_.stage;
  started_ = true;
  last_ = progress;
  told_ns_ = clock_.now_ns();
  if (terminal_) {
    draw();
    if (!ticker_.joinable()) ticker_ = std::thread([this] { keep_clock_going(); });
  } else if (new_stage && is_landmark(progress.stage)) {
    line(status_text(progress));
  }
}

void LiveStatus::draw() {
  const double since_s = static_cast<double>(clock_.now_ns() - told_ns_) / k_ns_per_s;
  const auto width = static_cast<std::size_t>(style_.width - 1);
  const std::string text = report::cut(status_text(later(last_, since_s)), width);
  std::fprintf(stream_, "\r\033[K%s", text.c_str());
  std::fflush(stream_);
  shown_ = true;
}

void LiveStatus::keep_clock_going() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, k_redraw_every, [this] { return ended_; })) draw();
}

void LiveStatus::on_judged(const Judged& judged) {
  const std::lock_guard lock(mutex_);
  const std::string number = fmt::format("{}/{}", last_.judged + 1, last_.planned);
  report::Style narrower = style_;
  narrower.width -= 9;
  line(fmt::format("{:>7}  {}", number, report::judged_line(judged, narrower)));
}

void LiveStatus::on_note(const std::string& note) {
  const std::lock_guard lock(mutex_);
  line(report::paint(style_, report::Color::dim, "note: " + note));
}

void LiveStatus::clear() {
  if (shown_) std::fputs("\r\033[K", stream_);
  shown_ = false;
}

void LiveStatus::line(const std::string& text) {
  clear();
  std::fprintf(stream_, "%s\n", text.c_str());
  std::fflush(stream_);
}

}  // namespace cupel::cli
