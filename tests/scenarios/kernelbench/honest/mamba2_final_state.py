# task: level3/49_Mamba2ReturnFinalState
# device: cuda
# expect: correct
# why: only the chunk states feed the result, so the diagonal block outputs are not computed;
# why: states by one batched matmul each and the inter-chunk recurrence as a short loop.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, batch_size, seq_length, n_heads, d_head, d_state, block_len=64):
        super().__init__()
        assert seq_length % block_len == 0, "Sequence length must be divisible by block length"
        self.batch_size = batch_size
        self.seq_length = seq_length
        self.n_heads = n_heads
        self.d_head = d_head
        self.d_state = d_state
        self.block_len = block_len
        self.A = nn.Parameter(torch.randn(batch_size, seq_length, n_heads))
        self.B = nn.Parameter(torch.randn(batch_size, seq_length, n_heads, d_state))
        self.C = nn.Parameter(torch.randn(batch_size, seq_length, n_heads, d_state))

    def forward(self, X, initial_states=None):
        b, s, h, p = X.shape
        l = self.block_len
        c = s // l
        n = self.d_state
        cum = self.A.view(b, c, l, h).cumsum(dim=2)
        decay = torch.exp(cum[:, :, -1:, :] - cum)                        # b c l h
        Bd = self.B.view(b, c, l, h, n) * decay.unsqueeze(-1)             # b c l h n
        Xc = X.view(b, c, l, h, p)
        states = torch.matmul(Xc.permute(0, 1, 3, 4, 2), Bd.permute(0, 1, 3, 2, 4))   # b c h p n
        carry = torch.exp(cum[:, :, -1, :])                               # b c h
        if initial_states is None:
            state = states[:, 0]
        else:
            state = initial_states[:, 0] * carry[:, 0, :, None, None] + states[:, 0]
        for i in range(1, c):
            state = torch.addcmul(states[:, i], state, carry[:, i, :, None, None])
        return state
