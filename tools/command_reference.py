"""The page of all commands and options: `python -m tools.command_reference` writes docs/commands.md."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from skolem.cli.parser import COMMANDS, build_parser

PAGE = Path(__file__).parent.parent / "docs" / "commands.md"


def write_page() -> str:
    """The text of the page."""
    return "\n".join(_list_lines())


def _list_lines() -> Iterator[str]:
    yield "# Commands"
    yield ""
    yield "What `skolem COMMAND --help` shows, on one page. Written by `python -m tools.command_reference`."
    for name in COMMANDS:
        command = find_command(name)
        yield from ("", f"## skolem {name}", "", _end(str(command.description)), "")
        yield from ("```text", _spell_usage(command), "```", "")
        yield from ("| option | meaning |", "|---|---|")
        for action in command._actions:
            if not isinstance(action, argparse._HelpAction) and action.help is not argparse.SUPPRESS:
                yield f"| {_name(action)} | {_escape(action.help or '')} |"
    yield ""


def find_command(name: str) -> argparse.ArgumentParser:
    """The parser of a command."""
    parser = build_parser([name])
    (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    found: argparse.ArgumentParser = commands.choices[name]
    return found


def _spell_usage(command: argparse.ArgumentParser) -> str:
    """One line: the words and the options that have a value of their own are listed below it."""
    words = [_metavar(action) for action in command._actions if not action.option_strings]
    return " ".join([str(command.prog), *words, "[options]"])


def _name(action: argparse.Action) -> str:
    if not action.option_strings:
        return f"`{_metavar(action)}`".replace("|", "\\|")
    value = "" if action.nargs == 0 else f" {_metavar(action)}"
    return ", ".join(f"`{option}{value}`" for option in action.option_strings).replace("|", "\\|")


def _metavar(action: argparse.Action) -> str:
    if isinstance(action.metavar, tuple):
        return " ".join(action.metavar)
    if action.metavar is None and action.choices is not None:
        return "|".join(map(str, action.choices))
    return action.metavar or action.dest.upper()


def _escape(text: str) -> str:
    return re.sub(r"([|<>*])", r"\\\1", text.replace("%%", "%"))


def _end(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:] + "." * (not sentence.endswith("."))


if __name__ == "__main__":
    PAGE.write_text(write_page(), encoding="utf-8")
