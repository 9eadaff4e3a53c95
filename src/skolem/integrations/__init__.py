"""Who else can use it? Other planners' frameworks, the server and its page, language models."""
