def seed_cast(value, given, wanted):
    """`value` with every tensor of dtype `given` in it, nested ones too, cast to `wanted`."""
    if isinstance(value, torch.Tensor):
        return value.to(wanted) if value.dtype == given else value
    if isinstance(value, dict):
        return {key: seed_cast(item, given, wanted) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [seed_cast(item, given, wanted) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value
