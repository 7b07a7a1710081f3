// What decides which free variants can apply to a task.
#pragma once

#include "model/task.h"

namespace cupel::propose {

struct Traits {
  bool images = false;          // some input has 4 dimensions: channels_last exists for it
  bool volumes = false;         // some input has 5 dimensions: channels_last_3d exists for it
  bool convolves = false;       // convolutions or poolings, as far as the source tells
  bool folds_norms = false;     // convolutions followed by batch norms
  bool multiplies = false;      // matrix products or convolutions: precision matters
  bool attends = false;         // attention, written out or by nn.MultiheadAttention
  bool views = false;           // calls view(), which fails on another layout
  bool plain_floats = false;    // every floating input and output is float32
  bool has_weights = false;     // parameters or buffers that freezing can rearrange
  bool small = false;           // so little data that a second thread may cost more than it brings
  bool strict_strides = false;  // outputs must keep the reference's memory format
};

// Reads the source as text, so it may err on both sides; the judge finds out. A task whose class
// is imported from elsewhere shows nothing: whatever its tensors allow is then assumed.
Traits traits_of(const Task& task, const TaskFacts& facts);

}  // namespace cupel::propose
