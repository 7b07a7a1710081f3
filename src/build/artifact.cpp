#include "build/artifact.h"

#include "base/clock.h"
#include "base/files.h"

namespace cupel::build {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t k_log_bytes_max = 32 << 10;

Artifact taken_from_cache(const fs::path& target) {
  Artifact artifact;
  artifact.built = true;
  artifact.from_cache = true;
  artifact.path = target;
  return artifact;
}

}  // namespace

Result<Artifact> build_into(const fs::path& target, std::string_view input, double seconds_max,
                            const std::function<sandbox::JailRequest(const fs::path&)>& jail_for) {
  CUPEL_TRY_STATUS(make_directories(target.parent_path()));
  std::error_code failure;
  if (fs::exists(target, failure)) return taken_from_cache(target);
  CUPEL_TRY(TempDir out, TempDir::create(target.parent_path(), "compile"));
  const SystemClock clock;
  const auto start_ns = clock.now_ns();
  CUPEL_TRY(auto run,
            sandbox::run_in_jail(jail_for(out.path()), input, seconds_max, k_log_bytes_max));
  Artifact artifact;
  artifact.seconds = static_cast<double>(clock.now_ns() - start_ns) / k_ns_per_s;
  artifact.log = run.timed_out ? "the compiler took too long" : run.output;
  const fs::path made = out.path() / k_library_name;
  const bool usable = fs::is_regular_file(fs::symlink_status(made, failure));
  if (run.timed_out || run.status.code != 0 || run.status.signal != 0 || !usable) return artifact;
  fs::rename(made, target, failure);
  if (failure) return infra_error("cannot store a compiled kernel: " + failure.message(), target);
  artifact.built = true;
  artifact.path = target;
  return artifact;
}

}  // namespace cupel::build
