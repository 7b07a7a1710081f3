folded = fuse(plain)
self.seed_run = {run}
return self.seed_run(*inputs)
