"""What the cases of src/rewrite's rules draw: sizes, convolutions, batches."""


def spatial(draw, rank, low=7, high=11):
    return ", ".join(str(draw.randint(low, high)) for _ in range(rank))


def convolution(draw, rank, transposed, stride=None, dilation=None, padding=None):
    """(constructor, channels in): a convolution with drawn numbers."""
    kernel = draw.randint(1, 3)
    stride = stride or draw.randint(1, 2)
    dilation = dilation or draw.randint(1, 2)
    padding = draw.randint(0, dilation * (kernel - 1) // 2 + 1) if padding is None else padding
    extra = ""
    if transposed:
        padding = min(padding, dilation * (kernel - 1))
        if draw.random() < 0.5 and max(stride, dilation) > 1:
            extra = ", output_padding=1"
    channels, outputs = draw.randint(1, 5), draw.randint(6, 9)
    name = f"nn.Conv{'Transpose' if transposed else ''}{rank}d"
    bias = draw.random() < 0.7
    return (f"{name}({channels}, {outputs}, {kernel}, stride={stride}, padding={padding}, "
            f"dilation={dilation}, bias={bias}{extra})", channels)


def batch_of(draw, channels, rank):
    return f"torch.randn({draw.randint(1, 3)}, {channels}, {spatial(draw, rank)})"
