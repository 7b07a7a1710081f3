#include "engine/evaluator.h"

namespace cupel::engine {

Status Evaluator::prebuild(const Candidate&) {
  return {};
}

Result<Judgement> Evaluator::audit(const Candidate& program) {
  return judge({program});
}

}  // namespace cupel::engine
