# task: level3/40_GRUHidden
# device: cuda
# expect: correct
# why: the cuDNN GRU is captured lazily into a CUDA graph per shape and set of weight addresses;
# why: inputs are copied into static buffers and the hidden state is cloned out.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, num_layers=3, bias=True, batch_first=False):
        super().__init__()
        self.gru = nn.GRU(input_size, hidden_size, num_layers, bias, batch_first, dropout=0, bidirectional=False)
        self._graphs = {}

    def _capture(self, x, h0):
        sx, sh = x.clone(), h0.clone()
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self.gru(sx, sh)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            _, h_n = self.gru(sx, sh)
        return graph, sx, sh, h_n

    @torch.no_grad()
    def forward(self, x, h0):
        if not x.is_cuda:
            return self.gru(x, h0)[1]
        key = (x.shape, h0.shape, x.dtype, self.training, tuple(p.data_ptr() for p in self.gru.parameters()))
        entry = self._graphs.get(key)
        if entry is None:
            entry = self._capture(x, h0)
            self._graphs[key] = entry
        graph, sx, sh, h_n = entry
        sx.copy_(x)
        sh.copy_(h0)
        graph.replay()
        return h_n.clone()
