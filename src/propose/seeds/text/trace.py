def seed_keeps_nan(graph):
    """Puts operators of a traced graph that oneDNN runs without NaN as others, which it leaves
    alone. Clamps too: of several it takes all for one."""
    for node in list(graph.nodes()):
        kind, inputs = node.kind().removesuffix("_"), list(node.inputs())
        if kind in ("aten::relu", "aten::relu6", "aten::clamp", "aten::hardtanh"):
            seed_put_clamp(graph, node, kind, inputs)
        elif kind == "aten::sigmoid":
            seed_put(graph, node, "aten::special_expit", inputs)
        elif kind in ("aten::max_pool2d", "aten::max_pool3d"):
            seed_put(graph, node, kind + "_with_indices", inputs, 2)


def seed_put_clamp(graph, node, kind, inputs):
    """As clamp_min and clamp_max."""
    ends = {"aten::relu": [0, None], "aten::relu6": [0, 6]}.get(kind)
    if ends is None:
        if any(end.node().kind() != "prim::Constant" for end in inputs[1:]):
            return
        ends = [end.toIValue() for end in inputs[1:]]
    if ends[1] is not None and ends[0] is not None:
        at = graph.create("aten::clamp_min", inputs[:1], 1).insertBefore(node)
        seed_end(graph, at, ends[0])
        next(at.outputs()).setType(next(node.outputs()).type())
        inputs, ends = list(at.outputs()), [None, ends[1]]
    at_most = ends[0] is None
    last = seed_put(graph, node, "aten::clamp_max" if at_most else "aten::clamp_min", inputs[:1])
    seed_end(graph, last, ends[at_most])


def seed_end(graph, node, end):
    with graph.insert_point_guard(node):
        node.addInput(graph.insertConstant(end))


def seed_put(graph, node, kind, inputs, outputs=1):
    """A node of this kind, whose first output stands for the node's."""
    kept = graph.create(kind, inputs, outputs).insertBefore(node)
    now, old = next(kept.outputs()), next(node.outputs())
    now.setType(old.type())
    old.replaceAllUsesWith(now)
    node.destroy()
    return kept
