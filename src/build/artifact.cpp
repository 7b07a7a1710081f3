#include "build/artifact.h"

#include <fcntl.h>

#include "base/clock.h"
#include "base/files.h"

namespace cupel::build {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t k_log_bytes_max = 32 << 10;
// It stays in the cache, on the user's disk; torch's own extensions have some ten megabytes.
constexpr std::uintmax_t k_library_bytes_max = 256ULL << 20;
// Runs a tool ($2...), then writes its library ($1) to descriptor 3.
constexpr const char* k_run_and_hand_over = "library=$1; shift; \"$@\" && cat \"$library\" >&3";

Artifact taken_from_cache(const fs::path& target) {
  Artifact artifact;
  artifact.built = true;
  artifact.from_cache = true;
  artifact.path = target;
  return artifact;
}

sandbox::JailRequest handing_over(BuildJail build, int library_fd) {
  auto argv = std::move(build.jail.argv);
  build.jail.argv = {"sh", "-c", k_run_and_hand_over, "sh", build.library};
  build.jail.argv.insert(build.jail.argv.end(), argv.begin(), argv.end());
  build.jail.socket_fd = library_fd;
  return std::move(build.jail);
}

}  // namespace

std::string tool_directory(const std::filesystem::path& scratch, bool unjailed) {
  return unjailed ? scratch.string() : "/tmp";
}

std::string library_in(const std::string& directory) {
  return directory + "/kernel.so";
}

Result<Artifact> build_into(const fs::path& target, std::string_view input, double seconds_max,
                            const std::function<BuildJail(const fs::path&)>& jail_for) {
  CUPEL_TRY_STATUS(make_directories(target.parent_path()));
  std::error_code failure;
  if (fs::exists(target, failure)) return taken_from_cache(target);
  CUPEL_TRY(TempDir out, TempDir::create(target.parent_path(), "compile"));
  const fs::path made = out.path() / "library";
  UniqueFd library(::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755));
  if (!library.valid()) return errno_error("cannot store a compiled kernel", made);
  const SystemClock clock;
  const auto start_ns = clock.now_ns();
  CUPEL_TRY(auto run, sandbox::run_in_jail(handing_over(jail_for(out.path()), library.get()), input,
                                           seconds_max, k_log_bytes_max));
  Artifact artifact;
  artifact.seconds = static_cast<double>(clock.now_ns() - start_ns) / k_ns_per_s;
  artifact.timed_out = run.timed_out;
  artifact.log = run.timed_out ? "the compiler took too long" : run.output;
  if (run.timed_out || run.status.code != 0 || run.status.signal != 0) return artifact;
  if (fs::file_size(made, failure) > k_library_bytes_max) {
    artifact.log = "the library is larger than any honest one";
    return artifact;
  }
  fs::rename(made, target, failure);
  if (failure) return infra_error("cannot store a compiled kernel: " + failure.message(), target);
  artifact.built = true;
  artifact.path = target;
  return artifact;
}

}  // namespace cupel::build
