self.to({dtype})
for part in self.modules():  # tensors that are neither parameters nor buffers
    for name, value in list(vars(part).items()):
        if isinstance(value, torch.Tensor) and value.dtype == torch.float32:
            setattr(part, name, value.to({dtype}))
