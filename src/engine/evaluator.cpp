#include "engine/evaluator.h"

namespace cupel::engine {

Status Evaluator::prebuild(const Candidate&) {
  return {};
}

}  // namespace cupel::engine
