// A small task on which every kind of free variant applies.
#pragma once

#include "model/task.h"

namespace cupel::propose {

inline constexpr const char* k_sample_source = R"("""Sample."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(3, channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels)
        self.linear = nn.Linear(channels, 5)
        self.eval()

    def forward(self, x, bias):
        x = torch.relu(self.norm(self.conv(x)))
        return self.linear(x.mean(dim=(2, 3))) + bias, x


def get_inputs():
    return [torch.randn(2, 3, 8, 8), torch.randn(5)]


def get_init_inputs():
    return [8]
)";

inline Task sample_task() {
  Task task;
  task.name = "sample";
  task.source = k_sample_source;
  return task;
}

inline TaskFacts sample_facts() {
  TaskFacts facts;
  facts.inputs = {{"float32", {2, 3, 8, 8}, {192, 64, 8, 1}, 1536}, {"float32", {5}, {1}, 20}};
  facts.weight_bytes = 2048;
  facts.input_bytes = 1600;
  facts.output_bytes = 4224;
  return facts;
}

}  // namespace cupel::propose
