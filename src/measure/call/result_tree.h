// Trees of results (docs/protocol.md): can one be read in every way in which another can? Pure.
#pragma once

#include <string_view>

namespace cupel::measure {

// Does a result of the form `got`, which a host claims, serve whoever reads one of the form `want`?
// A named tuple serves as a tuple, not the other way round. Takes as long as the shorter of the
// two.
bool serves_as(std::string_view got, std::string_view want);

}  // namespace cupel::measure
