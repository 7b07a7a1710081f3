def seed_map(value, change):
    """`value` with change() applied to every tensor in it, nested ones too."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, dict):
        return {key: seed_map(item, change) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [seed_map(item, change) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value
