#include "wiring.h"

#include <fmt/format.h>
#include <charconv>

#include <cstdlib>
#include <fstream>

#include "base/files.h"
#include "base/stop.h"
#include "build/cpp_builder.h"
#include "cuda/device.h"
#include "engine/evaluate/real_evaluator.h"
#include "inputs.h"
#include "measure/device/machine_memory.h"
#include "measure/jail/python_environment.h"
#include "measure/session.h"
#include "report/words/numbers.h"
#include "sandbox/cores.h"
#include "sandbox/jail.h"

namespace cupel::cli {
namespace {

// The value of a line "KEY : VALUE" of /proc/cpuinfo.
std::string cpu_info(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

std::string vector_units() {
  const std::string flags = " " + cpu_info("flags") + " ";
  std::string found;
  for (const char* flag : {"avx2", "avx512f", "avx512_bf16", "amx_bf16"}) {
    if (flags.find(fmt::format(" {} ", flag)) != std::string::npos)
      found += fmt::format(" {}", flag);
  }
  return found.empty() ? " none that matter" : found;
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "L1 32K, L2 1024K, L3 32768K": data and unified ones of the first core.
std::string caches() {
  std::string found;
  for (int i = 0; i < 8; ++i) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", i);
    const std::string size = first_line(folder + "size");
    if (size.empty() || first_line(folder + "type") == "Instruction") continue;
    found += fmt::format("{}L{} {}", found.empty() ? "" : ", ", first_line(folder + "level"), size);
  }
  return found;
}

// Of "cuda" or "cuda:N"; another name is refused where the device is opened.
int gpu_ordinal(std::string_view device) {
  constexpr std::string_view k_numbered = "cuda:";
  int ordinal = 0;
  if (device.starts_with(k_numbered)) {
    std::from_chars(device.data() + k_numbered.size(), device.data() + device.size(), ordinal);
  }
  return ordinal;
}

void add_gpu(int ordinal, std::map<std::string, std::string>& facts) {
  const auto gpu = cuda::Device::open(ordinal);
  if (!gpu) return;  // the run itself will say why
  const cuda::DeviceFacts& of = (*gpu)->facts();
  facts["gpu"] = of.name;
  facts["gpu compute capability"] =
      fmt::format("{}.{}", of.compute_capability / 10, of.compute_capability % 10);
  facts["gpu memory"] = report::bytes_text(static_cast<double>(of.memory_bytes));
  facts["gpu level-2 cache"] = report::bytes_text(static_cast<double>(of.cache_bytes));
  facts["gpu multiprocessors"] = std::to_string(of.multiprocessors);
  if (of.memory_gb_s > 0) {
    facts["gpu memory bandwidth"] = fmt::format("{:.0f} GB/s by its clock", of.memory_gb_s);
  }
}

Probe failed(std::string name, const Error& error) {
  const std::string found = error.where.empty() ? error.what : error.where + ": " + error.what;
  return {std::move(name), Probe::State::missing, found, error.hint};
}

Probe probe_home() {
  const auto home = home_directory();
  if (!home) return failed("home", home.error());
  return {"home", Probe::State::good, home->string(), ""};
}

Probe probe_python(const Options& options) {
  const auto home = home_directory().value_or(std::filesystem::path());
  const auto python = measure::inspect_python(measure::choose_python(options.python, home));
  if (!python) return failed("python", python.error());
  return {
      "python", Probe::State::good,
      fmt::format("{} ({}), torch {}", python->executable, python->version, python->torch_version),
      ""};
}

Probe probe_compiler() {
  const auto identity = build::compiler_identity();
  if (!identity) return failed("compiler", identity.error());
  return {"compiler", Probe::State::good, *identity, ""};
}

Probe probe_sandbox() {
  const auto grade = sandbox::probe_grade(false);
  if (!grade) return failed("sandbox", grade.error());
  const std::string found = fmt::format("bubblewrap, grade {}", sandbox::to_string(*grade));
  if (*grade == sandbox::Grade::full) return {"sandbox", Probe::State::good, found, ""};
  return {"sandbox", Probe::State::poor, found,
          "no writable control groups: hosts are frozen by signals and limited by rlimits"};
}

Probe probe_timer() {
  const auto library = engine::probe_library();
  if (!library.empty()) return {"probe", Probe::State::good, library.string(), ""};
  return {"probe", Probe::State::missing, "libcupel_probe.so is not beside the binary",
          "build it (make), or copy it there: no host measures without it"};
}

Probe probe_allocator() {
  const auto library = measure::find_allocator();
  if (!library.empty()) return {"allocator", Probe::State::good, library.string(), ""};
  return {"allocator", Probe::State::poor,
          "no jemalloc: times scatter as glibc's heap happens to lie",
          "apt-get install libjemalloc2"};
}

Probe probe_cores() {
  const int cores = sandbox::given_core_count();
  const std::string found =
      fmt::format("{}, {} usable cores,{}", cpu_info("model name"), cores, vector_units());
  if (cores > 1) return {"cpu", Probe::State::good, found, ""};
  return {"cpu", Probe::State::poor, found, "with one core the judge disturbs what it times"};
}

Probe probe_memory() {
  const auto bytes = static_cast<double>(measure::machine_memory_bytes());
  return {"memory", Probe::State::good, report::bytes_text(bytes), ""};
}

Probe probe_gpu() {
  const auto api = cuda::driver_api();
  if (!api && !std::filesystem::exists("/dev/nvidiactl")) {
    return {"gpu", Probe::State::good, "none found; programs are measured on the CPU", ""};
  }
  const auto gpu = cuda::Device::open(0);
  if (!gpu) {
    return {"gpu", Probe::State::poor, gpu.error().what, "see docs/gpu.md; --device cpu works"};
  }
  const cuda::DeviceFacts& facts = (*gpu)->facts();
  return {
      "gpu", Probe::State::good,
      fmt::format("{} of {}, {}, compute capability {}.{}, driver for CUDA {}.{}", facts.name,
                  cuda::device_count(), report::bytes_text(static_cast<double>(facts.memory_bytes)),
                  facts.compute_capability / 10, facts.compute_capability % 10,
                  facts.driver_version / 1000, facts.driver_version % 1000 / 10),
      ""};
}

}  // namespace

Result<std::unique_ptr<engine::Evaluator>> make_evaluator(const Task& task, const RunOptions& run,
                                                          const Options& options) {
  return engine::make_real_evaluator(task, run, {run.time_limit_s, options.python, {}, false});
}

Result<std::unique_ptr<engine::Evaluator>> make_search_evaluator(const Task& task,
                                                                 const RunOptions& run,
                                                                 const Options& options) {
  engine::EvaluatorSettings settings{run.time_limit_s, options.python, engine::k_repeat_in_search};
  settings.for_prompts = true;
  return engine::make_real_evaluator(task, run, settings);
}

Result<engine::Admitted> admit_alone(const Task& task, const RunOptions& run,
                                     const Options& options) {
  const auto sink = progress_sink(options);  // its end clears the status line
  show(*sink, engine::Stage::admit, task.name);
  stop_on_signals();  // frozen hosts must be ended, so the process may not just die
  CUPEL_TRY(const auto evaluator,
            engine::make_real_evaluator(task, run, {run.time_limit_s, options.python, {}, true}));
  return evaluator->admit();
}

std::map<std::string, std::string> describe_machine(const std::string& device) {
  std::map<std::string, std::string> facts{
      {"cpu", cpu_info("model name")},
      {"cores", std::to_string(sandbox::given_core_count())},
      {"caches", caches()},
      {"vector units", vector_units().substr(1)},
      {"memory", report::bytes_text(static_cast<double>(measure::machine_memory_bytes()))},
      {"cupel", CUPEL_VERSION}};
  if (device.starts_with("cuda")) add_gpu(gpu_ordinal(device), facts);
  return facts;
}

std::string torch_version(const Options& options) {
  const auto home = home_directory().value_or(std::filesystem::path());
  const auto python = measure::inspect_python(measure::choose_python(options.python, home));
  return python ? python->torch_version : "";
}

std::vector<Probe> probe_machine(const Options& options) {
  return {probe_home(),    probe_python(options), probe_compiler(),
          probe_sandbox(), probe_timer(),         probe_allocator(),
          probe_cores(),   probe_memory(),        probe_gpu()};
}

std::filesystem::path runs_directory() {
  const char* const chosen = std::getenv("CUPEL_RUNS");
  return chosen != nullptr && *chosen != '\0' ? chosen : "runs";
}

}  // namespace cupel::cli
