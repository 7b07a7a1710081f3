"""A package of a user's, for the numbers in docs/capture.md."""
