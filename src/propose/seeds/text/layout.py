def seed_layout(value):
    """A tensor of {rank} dimensions in {format}; anything else as it is."""
    if isinstance(value, torch.Tensor) and value.dim() == {rank}:
        return value.contiguous(memory_format=torch.{format})
    return value
