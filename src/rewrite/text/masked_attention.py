def masked_attention(query, key, value, mask, causal, scale=None):
    """torch's attention, which leaves out what a causal mask hides where it knows of it."""
    return F.scaled_dot_product_attention(query, key, value, None if causal else mask,
                                          is_causal=causal, scale=scale)
