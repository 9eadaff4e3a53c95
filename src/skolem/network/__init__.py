"""What do we learn with? The graph of a state and a goal, the network over it, and engines that run it."""
