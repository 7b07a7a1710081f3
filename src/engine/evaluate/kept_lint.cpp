#include "engine/evaluate/kept_lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/files.h"
#include "base/hash.h"
#include "build/cpp_builder.h"
#include "judge/admission.h"
#include "sandbox/cores.h"

namespace cupel::engine {
namespace {

namespace fs = std::filesystem;

// A lint of a task with dozens of outputs takes a tenth of it.
constexpr std::size_t k_lint_bytes_max = 16 << 20;

// The files that lint, kernels among them, so that another version of Cupel lints anew.
std::vector<fs::path> linting_files(const fs::path& home) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (fs::directory_iterator at(home / "python/cupel", failure), end; !failure && at != end;
       at.increment(failure)) {
    const fs::path extension = at->path().extension();
    if (extension == ".py" || extension == ".cu") files.push_back(at->path());
  }
  std::ranges::sort(files);
  return files;
}

// False if one of them cannot be read.
bool add_files(Hasher& hasher, std::string_view kind, const std::vector<fs::path>& files) {
  for (const fs::path& file : files) {
    const auto bytes = sha256_of_file(file);
    if (!bytes) return false;
    hasher.add(kind, file.string()).add("bytes", *bytes);
  }
  return true;
}

void add_task(Hasher& hasher, const Task& task) {
  hasher.add("task", task.id).add("source", task.source).add("path", task.path);
  hasher.add("import_root", task.import_root).add("weights", task.weights_id);
}

void add_machine(Hasher& hasher, const measure::SessionSettings& settings) {
  const measure::DeviceTraits& device = settings.device->traits();
  hasher.add("python", settings.python.executable).add("version", settings.python.version);
  hasher.add("torch", settings.python.torch_version);
  hasher.add("processor", build::processor_features());
  hasher.add("threads", static_cast<std::int64_t>(
                            settings.threads > 0 ? settings.threads : sandbox::given_core_count()));
  hasher.add("device", device.name).add("description", device.description);
}

}  // namespace

std::string lint_key(const measure::SessionSettings& settings, const Task& task, Policy policy,
                     const std::vector<fs::path>& read_files) {
  Hasher hasher("lint");
  hasher.add("samples", static_cast<std::int64_t>(measure::k_admission_samples));
  hasher.add("policy", to_string(policy));
  for (const double multiple :
       {settings.multiples.least, settings.multiples.in_order, settings.multiples.in_order_max}) {
    hasher.add("multiple", fmt::format("{}", multiple));
  }
  add_task(hasher, task);
  add_machine(hasher, settings);
  const bool known = add_files(hasher, "cupel", linting_files(settings.home)) &&
                     add_files(hasher, "read", read_files);
  return known ? hasher.finish() : "";
}

fs::path KeptLints::file_of(const std::string& key) const {
  return directory_ / (key + ".json");
}

std::optional<AdmissionEvidence> KeptLints::find(const std::string& key) const {
  if (key.empty()) return std::nullopt;
  const auto text = read_file(file_of(key), k_lint_bytes_max);
  if (!text) return std::nullopt;
  auto evidence = decode_admission_evidence(*text);
  if (!evidence) return std::nullopt;
  return std::move(*evidence);
}

void KeptLints::keep(const std::string& key, const AdmissionEvidence& evidence) const {
  if (key.empty() || !make_directories(directory_)) return;
  static_cast<void>(write_file_atomic(file_of(key), encode(evidence)));
}

void KeptLints::drop(const std::string& key) const {
  std::error_code none;
  if (!key.empty()) fs::remove(file_of(key), none);
}

Result<Admission> lint(measure::Session& session, const measure::SessionSettings& settings,
                       const Task& task, Policy policy, const TaskFacts& facts) {
  const KeptLints lints(cache_directory() / "lints");
  const std::string key = lint_key(settings, task, policy, session.read_files());
  if (const auto kept = settings.lint_only ? std::nullopt : lints.find(key)) {
    auto admission = judge::admit(*kept, policy, facts);
    if (!admission.tolerances.empty()) {  // as earlier versions kept it
      CUPEL_TRY_STATUS(session.readmit(*kept));
      return admission;
    }
  }
  CUPEL_TRY(const auto evidence, session.admit());
  auto admission = judge::admit(evidence, policy, facts);
  // Without rounds to come it has a GPU's memory for itself, and keeps classes that do not fit
  // them.
  const bool alone = settings.lint_only && !settings.device->traits().outputs_in_host;
  if (admission.tolerances.empty()) {
    lints.drop(key);
  } else if (!alone) {
    lints.keep(key, evidence);
  }
  return admission;
}

}  // namespace cupel::engine
