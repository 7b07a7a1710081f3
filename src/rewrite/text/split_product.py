# Float32 products by tensor cores that multiply float16 (H. Ootomo, R. Yokota, "Recovering single
# precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance",
# 2022). Their sums are rounded towards zero after every few terms, so no sum is a long one.
# From torch 2.8 on sums come out in float32; before, and on a CPU, float32 multiplies the parts.
SPLIT_SUMS_ARE_FLOAT32 = "dtype" in torch.ops.aten.bmm.overloads()
SPLIT_LOW = 2.0**11  # low parts are kept so many times as large: float16 has no small numbers


def split_finite(x):
    """Zero for what is not finite. Low parts, of both signs, would make NaN of infinity."""
    return torch.nan_to_num(x, 0.0, 0.0, 0.0)


def split_scales(x):
    """A power of two for each row: finite x / scale is less than 2**15."""
    most = split_finite(x).abs().amax(-1)
    exponent = (most.view(torch.int32) & 0x7F800000).view(torch.float32)
    return exponent.clamp_min(2.0**-112) * 2.0**-14


def split_numbers(x, scales):
    """(high, low), float16: high + low / SPLIT_LOW is x / scale, but for 2**-23 of it, or for
    2**-50 of the row's largest where that is more. What is not finite is in high, its low is 0."""
    scaled = x * (1 / scales).unsqueeze(-1)
    # By bits: a compiler may leave out a conversion to float16 and back.
    rounded = ((scaled.view(torch.int32) + 0x1000) & -0x2000).view(torch.float32)
    small = (scaled + 0.75) - 0.75  # float16's smallest are multiples of 2**-24, and so is this
    # Infinity times a number is infinite, but NaN times zero: only zero has a high part of zero.
    least = torch.where(x > 0, 2.0**-24, -(2.0**-24))
    small = torch.where((small == 0) & (x != 0), least, small)
    high = torch.where(scaled.abs() < 2.0**-14, small, rounded)
    is_finite = torch.isfinite(x)
    low = torch.where(is_finite, (scaled - high) * SPLIT_LOW, 0.0)
    return torch.where(is_finite, high, x).half(), low.half()


def split_matrix(factor, scales, is_weight):
    """Side by side its high parts, made finite, and its low ones; all high ones once more where
    they may be infinite: in a weight only if they are."""
    high, low = split_numbers(factor, scales)
    parts = [split_finite(high), low]
    if not is_weight or not torch.isfinite(factor).all():
        parts.append(high)
    return torch.cat(parts, 1)


def split_products(a, b):
    """A batch of them, of float16 matrices, in float32."""
    if a.is_cuda and SPLIT_SUMS_ARE_FLOAT32:
        return torch.bmm(a, b, out_dtype=torch.float32)
    return torch.bmm(a.float(), b.float())


def split_product(x, matrix, scales, sums):
    """x @ factor.T of a factor that split_matrix has split, each sum made of `sums` shorter ones.
    Low parts are not multiplied with low ones: 2**-22 of a term at most."""
    terms = x.shape[-1]
    with torch.autocast(x.device.type, enabled=False):
        rows = x.reshape(-1, terms)
        scales_of_rows = split_scales(rows)
        high, low = split_numbers(rows, scales_of_rows)
        mixed = split_products(torch.cat([low, split_finite(high)], 1)[None],
                               matrix[:, :2 * terms].T[None])[0]
        high_parts = matrix[:, 2 * terms:] if matrix.shape[1] > 2 * terms else matrix[:, :terms]
        a = high.unflatten(1, (sums, terms // sums)).transpose(0, 1)
        b = high_parts.unflatten(1, (sums, terms // sums)).permute(1, 2, 0)
        result = split_products(a, b).sum(0) + mixed / SPLIT_LOW
        # The smaller scale first: the other one alone may lead beyond float32.
        scales_of_rows = scales_of_rows.unsqueeze(-1)
        result = result * torch.minimum(scales, scales_of_rows)
        result = result * torch.maximum(scales, scales_of_rows)
    return result.reshape(*x.shape[:-1], matrix.shape[0])
