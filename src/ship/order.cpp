#include "ship/order.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/hash.h"
#include "base/rng.h"
#include "model/samples.h"
#include "ship/machine.h"

namespace cupel::ship {
namespace {

using nlohmann::json;

constexpr auto k_reserved = std::to_array<std::string_view>(
    {"and",  "as",    "assert", "async",  "await", "break", "class",  "continue", "def",
     "del",  "elif",  "else",   "except", "for",   "from",  "global", "if",       "import",
     "in",   "is",    "lambda", "not",    "or",    "pass",  "raise",  "return",   "try",
     "with", "while", "yield",  "torch",  "numpy", "cupel", "tests",  "build",    "triton"});

json parsed(const std::string& text) {
  return json::parse(text, nullptr, false);
}

const FinalTable::Row* winners_row(const RunRecord& record) {
  for (const FinalTable::Row& row : record.table.rows) {
    if (row.candidate_id == record.winner_id) return &row;
  }
  return nullptr;
}

const Judged* winners_judgement(const RunRecord& record) {
  for (const Judged& judged : record.judged) {
    if (judged.candidate.id == record.winner_id) return &judged;
  }
  return nullptr;
}

// How far an output may be off on the task's own inputs.
json tolerance_of(const Admission& admission) {
  for (const Tolerance& each : admission.tolerances) {
    if (each.value_class == k_nominal_class) {
      return {{"error_max", each.error_max}, {"mismatched_max", each.mismatched_max}};
    }
  }
  return {{"error_max", json::array()}, {"mismatched_max", json::array()}};
}

// The prompt's hash and the model that answered; the proposal says the rest.
json asked_of(const std::vector<journal::Event>& events) {
  json asked = json::object();
  for (const journal::Event& event : events) {
    if (event.kind == journal::kind::k_prompted) {
      const auto prompt = decode_prompt(event.body);
      if (prompt) asked["prompt_sha256"] = sha256_hex(prompt->system + "\n\n" + prompt->user);
    }
    if (event.kind == journal::kind::k_asked) asked["provider"] = parsed(event.body)["provider"];
    if (event.kind == journal::kind::k_replied) {
      asked["model"] = parsed(event.body)["reply"].value("model", "");
    }
  }
  return asked;
}

std::string input_text(const TaskFacts& facts) {
  std::string text;
  for (const TensorSpec& input : facts.inputs) {
    text += (text.empty() ? "" : ", ") + describe(input);
  }
  return text;
}

json machine_json(const ShippedRun& run) {
  const Machine machine = machine_of(run.machine, device_kind(run.record.options) == "cuda");
  return {{"device", machine.device}, {"torch", machine.torch}, {"facts", run.machine}};
}

json run_json(const ShippedRun& run) {
  const RunRecord& record = run.record;
  const FinalTable::Row* const row = winners_row(record);
  const Judged* const judged = winners_judgement(record);
  CUPEL_CHECK(row != nullptr && judged != nullptr);
  return {
      {"run_id", record.run_id},
      {"directory", record.directory},
      {"started_wall_ns", record.started_wall_ns},
      {"task", parsed(encode(record.task))},
      {"facts", parsed(encode(record.facts))},
      {"options", parsed(encode(record.options))},
      {"shown_inputs", input_text(record.facts)},
      {"tolerance", tolerance_of(record.admission)},
      {"winner",
       {{"id", judged->candidate.id}, {"label", row->label}, {"source", judged->candidate.source}}},
      {"verdict", parsed(encode(row->verdict))},
      {"table", parsed(encode(record.table))},
      {"written_by",
       {{"proposal", parsed(encode(judged->proposal))}, {"asked", asked_of(run.about_winner)}}},
      {"machine", machine_json(run)},
      {"seed", secret_seed() >> 1}};
}

}  // namespace

Status check_shippable(const RunRecord& record) {
  if (!record.finished) {
    return input_error("the run is not finished", record.directory,
                       "cupel resume " + record.run_id);
  }
  if (record.winner_id.empty() || winners_row(record) == nullptr) {
    return input_error("nothing beat the original in this run, so there is nothing to ship",
                       record.directory,
                       "search longer, or with --llm; cupel report says what was tried");
  }
  if (!record.admission.degenerate.empty()) {
    return input_error("the task is degenerate: " + record.admission.degenerate.front(),
                       record.directory, "its winner may be wrong; cupel lint says what to change");
  }
  return {};
}

std::string order_json(const Order& order) {
  json out{{"name", order.name},
           {"out", order.out},
           {"cupel", order.cupel},
           {"environment", order.environment},
           {"runs", json::array()}};
  for (const ShippedRun& run : order.runs) out["runs"].push_back(run_json(run));
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string package_name(const std::string& task_name) {
  std::string name = "fast_";
  for (const char c : task_name) {
    const auto byte = static_cast<unsigned char>(c);
    name += std::isalnum(byte) != 0 && byte < 128 ? static_cast<char>(std::tolower(byte)) : '_';
  }
  return name;
}

bool is_package_name(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (name.empty() || name.front() < 'a' || name.front() > 'z') return false;
  return std::ranges::all_of(name, fits) && std::ranges::find(k_reserved, name) == k_reserved.end();
}

}  // namespace cupel::ship
