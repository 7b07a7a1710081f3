def begun_with(part, size, dim):
    """Memory for `size` places along `dim`, of which the first are `part`."""
    shape = list(part.shape)
    shape[dim] = size
    last = part.dim() == 4 and part.is_contiguous(memory_format=torch.channels_last)
    layout = torch.channels_last if last else torch.contiguous_format
    whole = torch.empty(shape, dtype=part.dtype, device=part.device, memory_format=layout)
    whole.narrow(dim, 0, part.shape[dim]).copy_(part)
    return whole
