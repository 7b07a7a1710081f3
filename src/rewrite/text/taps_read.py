def taps_read(like, size, taps, stride, padding, dilation, outputs, transposed):
    """(size, taps): how often a convolution's tap meets each place of its input, over all outputs."""
    place, tap = torch.arange(size)[:, None], torch.arange(taps)[None, :]
    if transposed:  # place i is written to outputs i * stride - padding + tap * dilation
        at = place * stride - padding + tap * dilation
        met = (at >= 0) & (at < outputs)
    else:  # output o reads places o * stride - padding + tap * dilation
        from_start = place + padding - tap * dilation
        met = (from_start % stride == 0) & (from_start >= 0) & (from_start < outputs * stride)
    return met.to(like)
