SEED_PRODUCTS = (torch.matmul, torch.bmm, operator.matmul, "matmul", "bmm", "__matmul__")
SEED_SOFTMAX = (torch.softmax, torch.nn.functional.softmax, "softmax")
SEED_UNCHANGED = ("contiguous", "clone", "float", "half", "bfloat16", "to", "type_as")
SEED_SCALES = (operator.mul, operator.imul, torch.mul, "mul", "mul_", operator.truediv,
               operator.itruediv, torch.div, "div", "div_")
SEED_DIVISIONS = (operator.truediv, operator.itruediv, torch.div, "div", "div_")
SEED_SUMS = (operator.add, operator.iadd, torch.add, "add", "add_")
SEED_MASKS = (torch.masked_fill, "masked_fill", "masked_fill_")
SEED_VIEWS = ("view", "reshape", "unsqueeze", "squeeze")
SEED_STEPS = SEED_UNCHANGED + SEED_SCALES + SEED_SUMS + SEED_MASKS + SEED_VIEWS


def seed_fused(function, options):
    """function() compiled with the attention in it rewritten: to one fused kernel, and the rest by
    Inductor with these options (None: left as it is). Raises if there is no attention in it."""
    found = []

    def backend(graph, examples):
        found.extend(seed_fuse(graph, examples))
        if options is None:
            return graph.forward
        return compile_fx(graph, examples, config_patches=options)

    compiled = torch.compile(function, backend=backend, dynamic=False)

    def run(*inputs):
        output = compiled(*inputs)
        if not found:
            raise RuntimeError("this model writes out no softmax(q k^T) v that could be fused")
        return output
    return run


def seed_fuse(module, examples):
    """Replaces every softmax(scale * q @ k^T + bias) @ v in an FX graph; returns what it replaced."""
    graph = module.graph
    graph.eliminate_dead_code()
    places = [node for node in graph.nodes if node.op == "placeholder"]
    buffers = {node: value for node, value in zip(places, examples) if "_buffers_" in node.name}
    fused = [node for node in list(graph.nodes)
             if seed_without_weights(node) or seed_fuse_one(graph, node, buffers)]
    graph.eliminate_dead_code()
    module.recompile()
    return fused


def seed_is(node, targets):
    return isinstance(node, torch.fx.Node) and node.target in targets


def seed_shape(node):
    return tuple(node.meta["example_value"].shape)


def seed_without_weights(node):
    """Whether `node` was nn.MultiheadAttention that need not return its weights, and now does not."""
    if (not seed_is(node, (torch.nn.functional.multi_head_attention_forward,))
            or not node.kwargs.get("need_weights")
            or any(user.target is not operator.getitem or user.args[1] != 0
                   for user in node.users)):
        return False
    node.kwargs = node.kwargs | {"need_weights": False}
    return True


def seed_fuse_one(graph, node, buffers):
    """Whether `node` was the product of attention weights and values, and is fused now."""
    if not seed_is(node, SEED_PRODUCTS) or len(node.args) != 2:
        return False
    softmax = node.args[0]
    while seed_is(softmax, SEED_UNCHANGED) or seed_is_idle_dropout(softmax):
        softmax = softmax.args[0]
    if not seed_is(softmax, SEED_SOFTMAX) or not seed_is_over_rows(softmax):
        return False
    steps, product = seed_steps(softmax.args[0])
    if product is None or any(len(step.users) > 1 for step in (softmax, product, *steps)):
        return False
    shape = seed_shape(product)
    if seed_shape(softmax) != shape or any(seed_shape(at)[-2:] != shape[-2:] for at in steps):
        return False
    with graph.inserting_before(node):
        fused = seed_insert(graph, node, steps, product, buffers)
    if fused is None:
        return False
    node.replace_all_uses_with(fused)
    return True


def seed_is_idle_dropout(node):
    """A dropout that drops nothing."""
    if not seed_is(node, (torch.nn.functional.dropout, torch.dropout)):
        return False
    values = dict(zip(("input", "p", "training"), node.args)) | node.kwargs
    return values.get("p", 0.5) == 0.0 or not values.get("training", True)


def seed_is_over_rows(softmax):
    dim = softmax.kwargs.get("dim", softmax.args[1] if len(softmax.args) > 1 else None)
    return dim in (-1, len(seed_shape(softmax)) - 1)


def seed_steps(node):
    """([what is done to the scores, first to last], the product that makes them, or None)."""
    steps = []
    while not seed_is(node, SEED_PRODUCTS):
        step = node
        if seed_is(step, SEED_UNCHANGED + SEED_VIEWS):
            node = step.args[0]
        elif seed_is(step, SEED_SCALES + SEED_SUMS):
            node = seed_scores_of(step)
        elif seed_is(step, SEED_MASKS) and seed_hides(step.args[-1]):
            node = step.args[0]
        else:
            return steps, None
        if not isinstance(node, torch.fx.Node):
            return steps, None
        steps.insert(0, step)
    return steps, node


def seed_scores_of(step):
    """The operand of a sum or scaling that holds the scores: the one that comes from a product."""
    for operand in step.args[:2]:
        at = operand
        while isinstance(at, torch.fx.Node) and not seed_is(at, SEED_PRODUCTS):
            at = at.args[0] if seed_is(at, SEED_STEPS) and at.args else None
        if isinstance(at, torch.fx.Node) and seed_shape(operand)[-2:] == seed_shape(step)[-2:]:
            return operand
    return None


def seed_hides(value):
    return isinstance(value, (int, float)) and value <= -1e4


def seed_scaling(steps, rank):
    """(factor, [tensors to scale queries by]) of the steps, or None where they are not that."""
    factor, tensors = 1.0, []
    for step in steps:
        if not seed_is(step, SEED_SCALES):
            continue
        divides = seed_is(step, SEED_DIVISIONS)
        scores = seed_scores_of(step)
        other = step.args[1] if step.args[0] is scores else step.args[0]
        if divides and step.args[0] is not scores:
            return None
        if isinstance(other, (int, float)):
            factor = factor / other if divides else factor * other
        elif all(size == 1 for size in seed_shape(other)[-2:]) and len(seed_shape(step)) == rank:
            tensors.append((operator.truediv if divides else operator.mul, other))
        else:
            return None
    return factor, tensors


def seed_bias(graph, steps, product):
    """What the steps make of scores that are zero: the bias. Scaling has no part in it."""
    adds = [at for at, step in enumerate(steps) if seed_is(step, SEED_SUMS + SEED_MASKS)]
    if not adds:
        return None
    example, shape = product.meta["example_value"], seed_shape(product)
    if not any(seed_is(step, SEED_VIEWS) for step in steps):
        shape = (1,) * (len(shape) - 2) + shape[-2:]
    value = graph.call_function(torch.zeros, (shape,),
                                {"dtype": example.dtype, "device": example.device})
    scores = product
    for step in steps:
        copy = graph.node_copy(step, lambda old, scores=scores, value=value:
                               value if old is scores else old)
        scores, value = step, copy
    return value


def seed_is_causal(bias, buffers):
    """Whether a bias is made of buffers alone, zero up to the diagonal and hides what is beyond."""
    known = dict(buffers)

    def value_of(node):
        if node not in known:
            if node.op not in ("call_function", "call_method"):
                raise LookupError(node.name)
            args, keywords = torch.fx.map_arg((node.args, node.kwargs), value_of)
            known[node] = (node.target(*args, **keywords) if node.op == "call_function"
                           else getattr(args[0], node.target)(*args[1:], **keywords))
        return known[node]

    try:
        value = value_of(bias)
    except LookupError:
        return False
    shown = torch.ones(value.shape[-2:], dtype=torch.bool, device=value.device).tril()
    return bool((shown == (value > -1e4)).all() and (value[shown.expand(value.shape)] == 0).all())


def seed_insert(graph, node, steps, product, buffers):
    """The fused kernel's node, or None where the shapes are none that it takes."""
    query, key, value = product.args[0], product.args[1], node.args[1]
    rank = len(seed_shape(query))
    scaling = seed_scaling(steps, rank)
    if scaling is None or rank not in (3, 4) or seed_shape(query)[:-2] != seed_shape(key)[:-2]:
        return None
    factor, tensors = scaling
    for scale, tensor in tensors:
        query = graph.call_function(scale, (query, tensor))
    key = graph.call_method("transpose", (key, -2, -1))
    bias = seed_bias(graph, steps, product)
    causal = bias is not None and seed_is_causal(bias, buffers)
    bias = None if causal else bias
    parts = [query, key, value] if bias is None else [query, key, value, bias]
    parts[1:] = [graph.call_method("type_as", (part, query)) for part in parts[1:]]
    if rank == 3:  # fused kernels want (batch, heads, length, width)
        parts = [graph.call_method("unsqueeze", (part, 0)) for part in parts]
    attention = torch.nn.functional.scaled_dot_product_attention
    keywords = {"scale": factor, "is_causal": causal}
    if bias is not None:
        keywords["attn_mask"] = parts[3]
    fused = graph.call_function(attention, tuple(parts[:3]), keywords)
    fused = graph.call_method("squeeze", (fused, 0)) if rank == 3 else fused
    fused = graph.call_method("type_as", (fused, node.args[1]))
    fused.meta = dict(node.meta)
    return fused
