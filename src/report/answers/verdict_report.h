// What `cupel judge` shows: one verdict, the numbers behind it, and what it cost to reach.
#pragma once

#include <string>

#include "model/evidence.h"
#include "model/verdict.h"
#include "report/words/style.h"

namespace cupel::report {

std::string verdict_text(const Verdict& verdict, const Evidence& evidence, const Style& style);
// The evidence's single samples are left out; the journal of a run keeps them.
std::string verdict_json(const Verdict& verdict, const Evidence& evidence);

}  // namespace cupel::report
