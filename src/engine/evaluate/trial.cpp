#include "engine/evaluate/trial.h"

#include <utility>

#include "base/stop.h"

namespace cupel::engine {

measure::Referral unhurried() {
  return {[](const Evidence&) {
            return std::string(process_stop_flag().raised() ? "stopped on request" : "");
          },
          [](const Evidence&) { return std::vector<std::size_t>(); }};
}

std::vector<ProgramEvidence> programs_of_trial(Evidence trial) {
  if (!trial.infra_fault.empty()) {
    trial.programs.at(1).fault = {HostFault::Kind::infra, "", trial.infra_fault, "", -1};
  }
  return std::move(trial.programs);
}

std::vector<ProgramEvidence> unchecked(const std::string& why) {
  ProgramEvidence failed;
  failed.fault.kind = HostFault::Kind::infra;
  failed.fault.what = why;
  return {failed, failed};
}

}  // namespace cupel::engine
