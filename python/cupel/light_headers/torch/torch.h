// See types.h.
#pragma once

#include <torch/types.h>
