class SeedViews(torch.overrides.TorchFunctionMode):
    """Lets view() copy where the other layout forbids a view."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is torch.Tensor.view and not isinstance(args[1], torch.dtype):
            return torch.Tensor.reshape(*args, **(kwargs or {}))
        return function(*args, **(kwargs or {}))
