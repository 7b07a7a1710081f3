def seed_clamps_apart(graph):
    """Puts clamps so that none is fused into oneDNN's products, which would swallow NaN there."""
    aten = torch.ops.aten
    for node in graph.nodes:
        if node.target is aten.relu.default:
            node.target, node.args = aten.clamp_min.default, (node.args[0], 0)
        if node.target is not aten.clamp_max.default:
            continue
        inner, most = node.args
        if inner.target is aten.clamp_min.default and len(inner.users) == 1:
            value, least = inner.args
            if least <= most:  # in the other order, then, it is the same
                inner.target, inner.args = aten.clamp_max.default, (value, most)
                node.target, node.args = aten.clamp_min.default, (inner, least)
