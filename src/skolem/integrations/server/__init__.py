"""How is it asked again and again? By a page, over HTTP, as JSON lines, by language models; one process answers."""
