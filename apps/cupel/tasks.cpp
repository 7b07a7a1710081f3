#include <nlohmann/json.hpp>

#include "commands.h"
#include "exit_codes.h"
#include "output.h"
#include "report/words/text_table.h"
#include "task/load.h"
#include "task/shipped.h"

namespace cupel::cli {
namespace {

std::string text_of(const std::vector<task::ShippedTask>& tasks, const report::Style& style) {
  report::TextTable table({{"task", report::Column::Align::left, false},
                           {"what it computes", report::Column::Align::left, true}});
  for (const auto& task : tasks) table.add_row({task.name, task.summary});
  return table.str(style);
}

std::string json_of(const std::vector<task::ShippedTask>& tasks) {
  nlohmann::json json{{"version", 1}, {"kind", "tasks"}, {"tasks", nlohmann::json::array()}};
  for (const auto& task : tasks) {
    json["tasks"].push_back(
        {{"name", task.name}, {"path", task.path.string()}, {"summary", task.summary}});
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<int> run_tasks(const Options& options) {
  CUPEL_TRY(const auto directory, task::shipped_directory());
  CUPEL_TRY(const auto tasks, task::list_shipped(directory));
  print(options.json ? json_of(tasks) : text_of(tasks, style_for(stdout)));
  return k_exit_good;
}

Result<int> run_version(const Options& options) {
  print(options.json ? "{\"version\":1,\"kind\":\"version\",\"cupel\":\"" CUPEL_VERSION "\"}\n"
                     : "cupel " CUPEL_VERSION "\n");
  return k_exit_good;
}

}  // namespace cupel::cli
