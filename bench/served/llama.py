"""Serves a small Llama of `transformers` with weights that nobody trained."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from served.serving import serve

BATCH, LENGTH = 2, 32


def tokens(batch):
    return torch.randint(0, 256, (batch, LENGTH))


def model():
    torch.manual_seed(0)
    return LlamaForCausalLM(LlamaConfig(
        vocab_size=256, hidden_size=128, intermediate_size=344, num_hidden_layers=4,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=128,
        use_cache=False)).eval()


def call(module, batch):
    """One call with keywords, and its tensors as a list."""
    return [module(input_ids=batch, attention_mask=torch.ones_like(batch)).logits]


if __name__ == "__main__":
    serve(model(), call, tokens, BATCH)
