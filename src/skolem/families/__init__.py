"""Where do tasks come from? The five families, each with its domain and its generator."""
