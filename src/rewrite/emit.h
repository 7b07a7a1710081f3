// A graph as Python.
#pragma once

#include <string>
#include <string_view>

#include "rewrite/rewrite.h"

namespace cupel::rewrite {

// The first line of what a program says of itself.
inline constexpr std::string_view k_docstring = "The reference's own algebra, done with less work:";

// A candidate's file: `task_source` as it is, then ModelNew, derived from its Model: the same
// constructor, the same names of parameters. What follows from the weights alone is derived in
// prepare(). Calls of other sizes, other constructor arguments or the other mode run as the task
// wrote them.
// `class_name`: of the program; another one where more is derived from it, which may cast it to
// another floating dtype. That one has a prepare() in any case.
std::string program_text(const Rewriting& rewriting, std::string_view task_source,
                         std::string_view class_name = "ModelNew");

// One node as an expression of its operands' names: "F.linear(x, self.fc.weight)"; operands that
// `depth` more steps reach and nobody else uses are written out.
std::string expression(const GraphNode& node, const GraphIndex& index, int depth);

}  // namespace cupel::rewrite
