def as_precise_as_products(layer, input, *others):
    """A recurrent layer as precise as products of matrices are; cuDNN's switch is its own."""
    if not input.is_cuda or torch.compiler.is_compiling():  # it makes products of the layer
        return layer(input, *others)
    products, layers, switch = torch.backends.cuda.matmul, torch.backends.cudnn, "allow_tf32"
    try:
        getattr(products, switch), getattr(layers, switch)
    except RuntimeError:  # torch's newer switches are in use, for which these do not speak
        layers, switch = layers.rnn, "fp32_precision"
    wanted, before = getattr(products, switch), getattr(layers, switch)
    setattr(layers, switch, wanted)
    try:
        return layer(input, *others)
    finally:
        setattr(layers, switch, before)
