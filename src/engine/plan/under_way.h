// Which questions are still to be sent, and which are under way. Pure.
#pragma once

#include <string>

#include "journal/state.h"

namespace cupel::engine {

// Whether an agent is asked on behalf of the strategy; a reading is the engine's own.
bool asks_writer(Proposal::Kind kind);

// A program that an agent was asked for, and wrote.
bool is_bought(const journal::OpenProposal& open);

// Whether its question is still to be sent.
bool is_unasked(const journal::OpenProposal& open);

bool is_any_under_way(const journal::RunState& state);

// Whether the reader is at work on that program.
bool is_being_read(const journal::RunState& state, const std::string& candidate_id);

}  // namespace cupel::engine
