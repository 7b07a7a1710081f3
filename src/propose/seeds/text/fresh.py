def seed_fresh(value):
    """{says}"""
    {lines}
