"""How is it learned? Recipe, samples, the training loop, validation."""
