#include "progress_lines.h"

#include <nlohmann/json.hpp>

#include "live_status.h"

namespace cupel::cli {
namespace {

using nlohmann::json;

const char* name_of(engine::Stage stage) {
  using engine::Stage;
  switch (stage) {
    case Stage::admit:
      return "admit";
    case Stage::propose:
      return "propose";
    case Stage::judge:
      return "judge";
    case Stage::final_table:
      return "final_table";
    case Stage::audit:
      return "audit";
    case Stage::ship:
      return "ship";
    case Stage::done:
      break;
  }
  return "done";
}

json line_of(const char* kind) {
  return {{"version", 1}, {"kind", kind}};
}

json ratio_of(const Ratio& ratio) {
  return {{"ratio", ratio.ratio}, {"low", ratio.low}, {"high", ratio.high}};
}

}  // namespace

void ProgressLines::on_progress(const engine::Progress& progress) {
  json line = line_of("progress");
  line["stage"] = name_of(progress.stage);
  line["text"] = status_text(progress);
  line["subject"] = progress.subject;
  line["judged"] = progress.judged;
  line["planned"] = progress.planned;
  line["best"] = progress.best_label.empty() ? json() : ratio_of(progress.best);
  line["best_label"] = progress.best_label;
  line["elapsed_s"] = progress.elapsed_s;
  line["eta_s"] = progress.eta_s < 0 ? json() : json(progress.eta_s);
  line["cost_usd"] = progress.cost_usd;
  line["queries"] = progress.queries;
  write(line);
}

void ProgressLines::on_judged(const Judged& judged) {
  json line = line_of("judged");
  line["proposal_id"] = judged.proposal.id;
  line["label"] = judged.candidate.label;
  line["outcome"] = to_string(judged.verdict.outcome);
  line["headline"] = judged.verdict.headline();
  line["seconds"] = judged.seconds;
  write(line);
}

void ProgressLines::on_note(const std::string& note) {
  json line = line_of("note");
  line["text"] = note;
  write(line);
}

void ProgressLines::write(const json& line) {
  const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  const std::lock_guard lock(mutex_);
  std::fwrite(text.data(), 1, text.size(), stream_);
  std::fflush(stream_);
}

}  // namespace cupel::cli
