def is_causal(mask):
    """Whether an attention mask shows each place to those behind it, and to itself: a number."""
    seen = torch.ones(mask.shape[-2:], dtype=torch.bool, device=mask.device).tril()
    if mask.dtype is not torch.bool:
        seen = torch.zeros_like(seen, dtype=mask.dtype).masked_fill(~seen, float("-inf"))
    return bool((mask == seen).all())
