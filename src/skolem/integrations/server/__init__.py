"""A process that answers many questions: over HTTP with a page, as JSON lines, and for language models."""
