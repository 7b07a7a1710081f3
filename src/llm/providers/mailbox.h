// mailbox:DIR: a person, or any agent that can write files, plays the model.
#pragma once

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "llm/providers/provider.h"
#include "llm/providers/provider_settings.h"

namespace cupel::llm {

// Each prompt appears as DIR/<proposal id>.prompt.md, whole at once, and says at its top how to
// answer: DIR/<proposal id>.reply.md, whose last line is "END <proposal id> <hash of the prompt>".
// That line makes a reply complete, so that half of one is never taken, however it is written; and
// it names the question, so that a reply to another one is never taken either. A reply that lies
// there already is taken at once. After `settings.mailbox_wait_s` the answer is Reply::End::failed;
// a reply that comes later is found when the same question is asked again. Free. DIR is created.
Result<std::unique_ptr<Provider>> make_mailbox(const std::filesystem::path& directory,
                                               const ProviderSettings& settings);

}  // namespace cupel::llm
