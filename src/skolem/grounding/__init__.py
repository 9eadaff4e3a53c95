"""Which objects? Grounders, each returning a binding and how it was chosen."""
