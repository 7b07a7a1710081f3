// scripted:DIR: replies from files, for tests and for runs that must repeat.
#pragma once

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "llm/providers/provider.h"
#include "llm/providers/provider_settings.h"

namespace cupel::llm {

// A question is answered by the first of these files in DIR:
//   <proposal id>.md                     "p0012.md"
//   <hash>.md                            question_hash() of the prompt
//   <agent>.1.md, <agent>.2.md, ...      of N files number (proposal's number mod N) + 1
//   <agent>.md                           "improve.md"
//   default.md
// Beside FILE.md there may be FILE.json, whose members are all optional:
//   {"end": "complete", "problem": "", "model": "scripted", "delay_s": 0,
//    "usage": {"prompt_tokens": 0, "cached_tokens": 0, "reply_tokens": 0, "thought_tokens": 0},
//    "nano_usd": 0, "nano_usd_max": the same}
// Without a file the answer is Reply::End::failed, and free. An input error if DIR is no directory.
Result<std::unique_ptr<Provider>> make_scripted(const std::filesystem::path& directory,
                                                const ProviderSettings& settings);

}  // namespace cupel::llm
