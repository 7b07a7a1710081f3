// See types.h. Bindings are C++ of the host compiler; nvcc has no use for pybind11's templates.
#pragma once

#include <torch/types.h>

#ifndef __CUDACC__
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>
#endif
