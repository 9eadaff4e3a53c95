"""What do we learn with? Relational graph neural networks, their training and checkpoints."""
