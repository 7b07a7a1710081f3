// Python that runs before Cupel's own can be found (text/*.py).
#pragma once

#include <span>

#include "base/embedded.h"

namespace cupel::measure {

std::span<const EmbeddedFile> python_files();

}  // namespace cupel::measure
