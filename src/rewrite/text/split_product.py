# Float32 products by tensor cores that multiply float16 (H. Ootomo, R. Yokota, "Recovering single
# precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance",
# 2022). Their sums are rounded towards zero after every few terms, so no sum is a long one.
# From torch 2.8 on sums come out in float32; before, and on a CPU, float32 multiplies the parts.
SPLIT_SUMS_ARE_FLOAT32 = "dtype" in torch.ops.aten.bmm.overloads()


def split_scales(x):
    """A power of two for each row: finite x / scale is less than 2**15, as float16 is."""
    most = torch.nan_to_num(x, 0.0, 0.0, 0.0).abs().amax(-1)
    exponent = (most.view(torch.int32) & 0x7F800000).view(torch.float32)
    return exponent.clamp_min(2.0**-100) * 2.0**-14


def split_numbers(x, scales):
    """(high, low), float16: high + low is x / scale, but for 2**-23 of it or 2**-39 of the row's
    largest. What is not finite is in high."""
    scaled = x * (1 / scales).unsqueeze(-1)
    # By bits: a compiler may leave out a conversion to float16 and back.
    rounded = ((scaled.view(torch.int32) + 0x1000) & -0x2000).view(torch.float32)
    finite = torch.isfinite(x)
    high = torch.where(finite, rounded, x)
    return high.half(), torch.where(finite, scaled - rounded, 0.0).half()


def split_finite(high):
    """Infinity less infinity is no number: low parts are multiplied with finite ones."""
    return torch.nan_to_num(high, 0.0, 0.0, 0.0)


def split_matrix(factor, scales, is_finite):
    """Side by side its finite high parts, its low ones and, unless all are finite, all high ones."""
    high, low = split_numbers(factor, scales)
    return torch.cat([high, low] if is_finite else [split_finite(high), low, high], 1)


def split_products(a, b):
    """A batch of them, of float16 matrices, in float32."""
    if a.is_cuda and SPLIT_SUMS_ARE_FLOAT32:
        return torch.bmm(a, b, out_dtype=torch.float32)
    return torch.bmm(a.float(), b.float())


def split_product(x, matrix, scales, sums):
    """x @ factor.T of a factor that split_matrix has split, each sum made of `sums` shorter ones.
    Low parts are not multiplied with low ones: 2**-22 of a term at most."""
    terms = x.shape[-1]
    rows = x.reshape(-1, terms)
    scales_of_rows = split_scales(rows)
    high, low = split_numbers(rows, scales_of_rows)
    mixed = split_products(torch.cat([low, split_finite(high)], 1)[None],
                           matrix[:, :2 * terms].T[None])[0]
    high_parts = matrix[:, 2 * terms:] if matrix.shape[1] > 2 * terms else matrix[:, :terms]
    a = high.unflatten(1, (sums, terms // sums)).transpose(0, 1)
    b = high_parts.unflatten(1, (sums, terms // sums)).permute(1, 2, 0)
    result = split_products(a, b).sum(0) + mixed
    result = result * scales * scales_of_rows.unsqueeze(-1)
    return result.reshape(*x.shape[:-1], matrix.shape[0])
