"""Where do tasks come from? The five families: domain, generator, drawing."""
