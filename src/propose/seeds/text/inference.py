def forward(self, *inputs):
    with torch.inference_mode():
        result = {body}(*inputs)
    # No gradient may ever pass an inference tensor: what is returned is copied outside.
    return torch.utils._pytree.tree_map_only(torch.Tensor, torch.clone, result)
