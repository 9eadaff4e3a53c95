"""How good is it? Test sets, the paper's tables, peers side by side."""
