def seed_own(value):
    """An input as the model wants it here."""
    {lines}
    return value
