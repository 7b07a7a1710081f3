class SeedSwitches:
    """These hold for the whole process, so for the time of a call alone."""

    def __enter__(self):
        self.before = [{reads}]
        {sets}

    def __exit__(self, *problem):
        {puts_back}
