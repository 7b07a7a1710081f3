"""Whether a referee can do what a request to open a task asks for."""

import torch

from cupel import placement
from cupel.failures import TaskFailure

POLICIES = ("eager", "exact", "tf32", "half")


def require_supported(request):
    """Raises TaskFailure for a device or a policy that is not there."""
    policy, device = request.get("policy", "eager"), request.get("device", "cpu")
    if device != "cpu" and not placement.is_gpu(device):
        raise TaskFailure("unsupported", f"there is no device {device!r}; use cpu or cuda")
    if placement.is_gpu(device) and not torch.cuda.is_available():
        raise TaskFailure("unsupported", f"this Python's torch {torch.__version__} sees no GPU; "
                          "install torch with CUDA, or use --device cpu")
    if policy == "tf32" and device == "cpu":
        raise TaskFailure("unsupported", "the policy tf32 means NVIDIA's TF32 matmuls, which a CPU "
                          "does not have; use --policy eager, exact or half")
    if policy not in POLICIES:
        raise TaskFailure("unsupported", f"unknown policy {policy!r}; one of: "
                          + ", ".join(POLICIES))
