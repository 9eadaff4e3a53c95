"""The public suite: domains that researchers know, written anew, with problems whose goals describe objects."""
