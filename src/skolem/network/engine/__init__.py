"""What runs a trained network over encoded graphs: in C, in NumPy, or by the reference in PyTorch."""
