"""The network on a GPU: fused kernels."""
