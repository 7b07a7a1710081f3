// Texts out of replies: the ideas of a brainstorm, the bottleneck and plan of an analysis.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cupel::propose {

inline constexpr std::size_t k_ideas_max = 10;
// A prompt that carries the idea stays short; what is longer is an essay.
inline constexpr std::size_t k_idea_bytes_max = 800;
inline constexpr std::size_t k_plan_bytes_max = 1600;

// A JSON list of texts or objects, numbered items, else bulleted items; what follows an item
// belongs to it. Empty if none of them is there.
std::vector<std::string> ideas_in(std::string_view reply);

// "BOTTLENECK: ..." and "PLAN: ..." as one text, "Bottleneck: ... Plan: ..."; empty if the reply
// has no plan.
std::string plan_in(std::string_view reply);

}  // namespace cupel::propose
