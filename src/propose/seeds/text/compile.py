self.seed_run = torch.compile({body}, dynamic=False{arguments})
return self.seed_run(*inputs)
