// The winner's audit: whoever the final table puts first is judged once more before it is reported.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "engine/doors/sitting.h"
#include "search/winning/choice.h"

namespace cupel::engine {

// Winners audited at most, one after the other, before a run ends without one.
inline constexpr std::size_t k_audits_max = 8;

// Whether the last table has a winner that was not audited yet (k_audits_max audits at most).
bool needs_audit(const journal::RunState& state);

// One audit, into the journal; an infra fault is retried once.
Status audit_winner(Sitting& sitting);

// Who wins, with audits regarded: nobody does who did not pass one.
search::Settlement settle_audited(const journal::RunState& state);

// Waits for the measurement of that subject; nothing else is under way. Nothing if the user asked
// to stop.
std::optional<Measured> await_measurement(Sitting& sitting, std::string_view subject);

}  // namespace cupel::engine
