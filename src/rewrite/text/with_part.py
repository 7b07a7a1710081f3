def with_part(whole, part, start, dim):
    """`whole`, with `part` written from place `start` on along `dim`."""
    whole.narrow(dim, start, part.shape[dim]).copy_(part)
    return whole
