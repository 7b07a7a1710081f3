// What task files are made from where a class or a function is named in their place (text/*.py).
#pragma once

#include <span>

#include "base/embedded.h"

namespace cupel::task {

std::span<const EmbeddedFile> task_files();

}  // namespace cupel::task
