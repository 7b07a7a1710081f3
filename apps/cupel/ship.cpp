// cupel ship: winners of runs as a package of Python, written and proved in a jail.
#include "ship/order.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "build/python_jail.h"
#include "commands.h"
#include "exit_codes.h"
#include "journal/reader.h"
#include "journal/runs.h"
#include "judge/feedback.h"
#include "measure/device/device.h"
#include "measure/device/machine_memory.h"
#include "measure/jail/own_files.h"
#include "measure/jail/python_environment.h"
#include "output.h"
#include "report/words/numbers.h"
#include "report/words/text_table.h"
#include "sandbox/jail.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Several compilations by torch among them, each some half a minute.
constexpr double k_ship_seconds_max = 1800;
constexpr std::uint64_t k_scratch_bytes_max = 4ULL << 30;
constexpr int k_processes_max = 1024;
constexpr std::size_t k_output_bytes_max = 4 << 20;
constexpr std::size_t k_said_bytes_max = 2000;

Result<ship::ShippedRun> read_shipped(const std::string& argument) {
  CUPEL_TRY(const auto directory, journal::resolve_run(runs_directory(), argument));
  CUPEL_TRY(const auto state, journal::read_state(directory));
  CUPEL_TRY(RunRecord record, journal::read_run(directory));
  CUPEL_TRY_STATUS(ship::check_shippable(record));
  CUPEL_TRY(auto events, journal::events_about(directory, record.winner_id));
  return ship::ShippedRun{std::move(record), state.start.machine, std::move(events)};
}

Result<ship::Order> read_order(const Options& options) {
  ship::Order order;
  order.cupel = CUPEL_VERSION;
  for (const std::string& argument : options.runs) {
    CUPEL_TRY(auto run, read_shipped(argument));
    order.runs.push_back(std::move(run));
  }
  order.name = options.package_name.empty()
                   ? ship::package_name(order.runs.front().record.task.name)
                   : options.package_name;
  if (!ship::is_package_name(order.name)) {
    return input_error("'" + order.name + "' is no name for a package", "--name",
                       "small letters, digits and underscores, and no word of Python's");
  }
  std::error_code failure;
  order.out = fs::absolute(options.out.empty() ? order.name : options.out, failure).string();
  return order;
}

// Nothing that is there is written over.
Status make_empty(const fs::path& out) {
  std::error_code failure;
  if (fs::exists(out, failure) && !(fs::is_directory(out, failure) && fs::is_empty(out, failure))) {
    return input_error("it exists and is not empty", out.string(),
                       "name another folder with --out, or remove this one");
  }
  return make_directories(out);
}

void add_device(sandbox::JailRequest& request, const measure::Device& device) {
  const auto& traits = device.traits();
  request.environment.insert(request.environment.end(), traits.environment.begin(),
                             traits.environment.end());
  request.binds.insert(request.binds.end(), traits.binds.begin(), traits.binds.end());
}

// The user's own modules, which tasks import, first; the package's folder last, and writable.
Result<sandbox::JailRequest> jail_for(const ship::Order& order, const Options& options,
                                      const fs::path& scratch) {
  CUPEL_TRY(const auto home, home_directory());
  CUPEL_TRY(const auto python,
            measure::inspect_python(measure::choose_python(options.python, home)));
  CUPEL_TRY_STATUS(sandbox::probe_grade(options.sandbox == "none"));
  const build::PythonTools tools{python.executable, "", python.parts, home};
  auto request = build::python_jail(tools, scratch, options.sandbox == "none").request;
  for (const ship::ShippedRun& run : order.runs) {
    if (run.record.task.import_root.empty()) continue;
    const auto own = measure::own_directory(run.record.task.import_root);
    request.binds.insert(request.binds.begin(), own.begin(), own.end());
  }
  CUPEL_TRY(const auto device, measure::open_device(order.runs.front().record.options.device));
  add_device(request, *device);
  request.binds.push_back({order.out, {}, true});
  request.environment.push_back("USER=user");  // torch's caches are named after one
  request.argv = {python.executable, "-m", "cupel.shipping"};
  request.memory_bytes_max = static_cast<std::uint64_t>(measure::machine_memory_bytes());
  request.scratch_bytes_max = k_scratch_bytes_max;
  request.processes_max = k_processes_max;
  return request;
}

// What the tests of the package get: the jail's environment without Cupel.
std::map<std::string, std::string> tests_environment(const sandbox::JailRequest& request) {
  std::map<std::string, std::string> environment;
  for (const std::string& entry : request.environment) {
    const std::size_t equals = entry.find('=');
    if (entry.starts_with("PYTHONPATH=")) continue;
    environment[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return environment;
}

json last_object(const std::string& output) {
  const std::size_t end = output.find_last_not_of("\n");
  if (end == std::string::npos) return {};
  const std::size_t start = output.rfind('\n', end);
  return json::parse(output.substr(start == std::string::npos ? 0 : start + 1), nullptr, false);
}

tl::unexpected<Error> died(const sandbox::ToolRun& run, const std::string& out) {
  const std::string how = run.timed_out ? "took too long" : describe(run.status);
  return infra_error(
      "writing the package " + how + ": " + judge::tail_of(run.output, k_said_bytes_max), out);
}

Result<json> write_package(ship::Order& order, const Options& options) {
  CUPEL_TRY(const auto scratch, TempDir::create(cache_directory() / "work", "ship"));
  CUPEL_TRY(const auto request, jail_for(order, options, scratch.path()));
  order.environment = tests_environment(request);
  CUPEL_TRY(const auto run, sandbox::run_in_jail(request, ship::order_json(order),
                                                 k_ship_seconds_max, k_output_bytes_max));
  const json answer = last_object(run.output);
  if (!answer.is_object()) return died(run, order.out);
  if (answer.contains("error")) {
    return input_error(answer.value("error", ""), answer.value("where", ""),
                       answer.value("hint", ""));
  }
  return answer;
}

// What failed leaves nothing that could be taken for a package.
void clear(const fs::path& out) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(out, ignored)) {
    fs::remove_all(entry.path(), ignored);
  }
  fs::remove(out, ignored);
}

std::string text_of(const json& shipped) {
  report::TextTable table({{"task", report::Column::Align::left, false},
                           {"call", report::Column::Align::left, true},
                           {"over eager", report::Column::Align::left, false},
                           {"torch.compile", report::Column::Align::left, false},
                           {"winner", report::Column::Align::left, true}});
  for (const json& entry : shipped["entries"]) {
    Ratio ratio;
    ratio.ratio = entry["ratio"];
    ratio.low = entry["low"];
    ratio.high = entry["high"];
    table.add_row({entry["task"], entry["inputs"], report::ratio_text(ratio),
                   entry["operator"] ? "an operator" : "the original", entry["label"]});
  }
  const std::string name = shipped["name"];
  std::string notes;
  for (const json& note : shipped["notes"]) notes += "\n" + note.get<std::string>();
  return table.str(style_for(stdout)) + notes +
         fmt::format("\nits own tests: {}\nUse {}: import {}; {}.apply(model)\n",
                     shipped["proved"].get<std::string>(), shipped["directory"].get<std::string>(),
                     name, name);
}

}  // namespace

Result<int> run_ship(const Options& options) {
  CUPEL_TRY(ship::Order order, read_order(options));
  CUPEL_TRY_STATUS(make_empty(order.out));
  const auto shipped = write_package(order, options);
  if (!shipped) {
    clear(order.out);
    return fail(shipped.error());
  }
  print(options.json ? shipped->dump() + "\n" : text_of(*shipped));
  return k_exit_good;
}

}  // namespace cupel::cli
