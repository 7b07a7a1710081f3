// One question that several proposals ask alike: who asks it, and what each has of its cost and of
// its answers. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "journal/state.h"
#include "model/exchange.h"

namespace cupel::engine {

// `proposal`, and those of `waiting` that the same could be asked for at once, `count_max` at most.
std::vector<Proposal> alike(const Proposal& proposal, const std::vector<Proposal>& waiting,
                            std::int64_t count_max);

// Whose question went out as that of `proposal_id`: itself, then those that share it.
std::vector<std::string> askers_of(const journal::RunState& state, const std::string& proposal_id);

// What part `part` of `parts` is to keep back of a worst case.
std::int64_t reserved_part(std::int64_t nano_usd_max, int parts);

// What it has of the reply: the answer of its number, and its part of the bill, which is at most
// what was kept back. Failed where no answer of its number came.
Reply part_of(const Reply& reply, int parts, int part);

}  // namespace cupel::engine
