# task: level3/13_DenseNet121TransitionLayer
# device: cuda
# expect: correct
# why: average pooling commutes with the bias-free 1x1 convolution, so pooling first quarters the
# why: convolution; BatchNorm stays the module (batch statistics and running buffers as in the
# why: task).
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, num_input_features: int, num_output_features: int):
        super().__init__()
        self.transition = nn.Sequential(
            nn.BatchNorm2d(num_input_features),
            nn.ReLU(inplace=True),
            nn.Conv2d(num_input_features, num_output_features, kernel_size=1, bias=False),
            nn.AvgPool2d(kernel_size=2, stride=2),
        )

    def forward(self, x):
        bn, relu, conv, pool = self.transition
        return conv(pool(relu(bn(x))))
