"""What can never be reached? Invariants of the actions, and proofs from them."""
