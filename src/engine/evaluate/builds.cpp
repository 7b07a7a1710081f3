#include "engine/evaluate/builds.h"

#include "base/hash.h"
#include "build/compiler_start.h"
#include "build/kernel_library.h"
#include "build/wanted_builds.h"

namespace cupel::engine {
namespace {

std::string key_of(const measure::BuildAsk& ask) {
  Hasher hasher("build request");
  hasher.add("kind", ask.kind).add("name", ask.name).add("source", ask.source);
  for (const std::string& flag : ask.flags) hasher.add("flag", flag);
  return hasher.finish();
}

std::string architectures_of(const measure::Device& device) {
  for (const std::string& entry : device.traits().environment) {
    if (entry.starts_with(measure::k_architectures)) {
      return entry.substr(measure::k_architectures.size());
    }
  }
  return "";
}

}  // namespace

Builds::Builds(const measure::SessionSettings& session)
    : tools_{session.python.executable,
             session.python.version + ", torch " + session.python.torch_version,
             session.python.parts, session.home},
      cache_(session.build_cache),
      unjailed_(session.unjailed),
      architectures_(architectures_of(*session.device)),
      seconds_max_(session.plan.load_seconds_max) {}

Result<build::Artifact> Builds::compile(const measure::BuildAsk& ask) {
  if (ask.kind == "extension") {
    return build::ExtensionBuilder(cache_, tools_, unjailed_).build(ask.source, ask.seconds_max);
  }
  const build::CppRequest request{ask.name, ask.source, ask.flags, ask.seconds_max};
  CUPEL_TRY(build::Artifact artifact, build::CppBuilder(cache_, unjailed_).build(request));
  if (!artifact.built || ask.body == KernelBody::own) return artifact;
  return build::with_body(artifact.path, ask.name, ask.body, cache_);
}

void Builds::remember(const measure::BuildAsk& ask, const build::Artifact& artifact) {
  if (artifact.built || artifact.timed_out) return;
  const std::lock_guard lock(mutex_);
  rejected_.emplace(key_of(ask), artifact.log);
}

measure::BuildAnswer Builds::answer(const measure::BuildAsk& ask) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = rejected_.find(key_of(ask));
    if (known != rejected_.end()) return {false, "", known->second};
  }
  const auto artifact = compile(ask);
  if (!artifact) return {false, "", artifact.error().describe()};
  return {artifact->built, artifact->path.string(), artifact->log, artifact->timed_out};
}

std::string Builds::compiler_start() const {
  const auto made = build::compiler_start(cache_, tools_, unjailed_);
  return made ? made->filename().string() : "";
}

Status Builds::build_ahead(const Candidate& program) {
  if (!build::may_want_builds(program.source)) return {};
  CUPEL_TRY(const auto wanted, build::wanted_builds(tools_, architectures_, program.source, cache_,
                                                    unjailed_, seconds_max_));
  for (const build::WantedBuild& each : wanted) {
    const measure::BuildAsk ask{each.kind,  each.name,       each.source,
                                each.flags, KernelBody::own, seconds_max_};
    CUPEL_TRY(const auto artifact, compile(ask));
    remember(ask, artifact);
  }
  return {};
}

}  // namespace cupel::engine
