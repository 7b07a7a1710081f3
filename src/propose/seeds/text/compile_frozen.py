self.seed_run = torch.compile({body}, dynamic=False{arguments})
with torch._inductor.config.patch(
        freezing=True, post_grad_custom_pre_pass=seed_clamps_apart):
    return self.seed_run(*inputs)
