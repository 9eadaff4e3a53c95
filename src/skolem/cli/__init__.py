"""The command line: parser, commands, output."""

from skolem.cli.entry import main

__all__ = ["main"]
