"""What cannot be shipped."""


class Refused(Exception):
    """`what` is wrong with `where`, and what to do about it."""

    def __init__(self, what, where="", hint=""):
        super().__init__(what)
        self.what, self.where, self.hint = what, where, hint
