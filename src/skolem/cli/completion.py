"""The command completion: a script with which a shell completes commands, options and their values."""

import argparse
from collections.abc import Iterator

from skolem.cli.options import CompletionOptions
from skolem.cli.output import Console
from skolem.cli.parser import build_parser
from skolem.support.errors import ExitCode

SHELLS = ("bash", "zsh", "fish")


def run_completion(console: Console, options: CompletionOptions) -> int:
    """Prints the script of a shell."""
    text = write_fish() if options.shell == "fish" else write_bash()
    if options.shell == "zsh":
        text = "#compdef skolem\nautoload -U +X bashcompinit && bashcompinit\n" + text
    console.result({"shell": options.shell, "script": text})
    console.say(text.rstrip("\n"))
    return int(ExitCode.SUCCESS)


def write_bash() -> str:
    """The script for bash; what is neither a command nor an option nor a choice is a file."""
    commands = dict(_list_commands())
    values, options = [], []
    for name, command in commands.items():
        for action in _list_options(command):
            if action.choices:
                flags = "|".join(f"{name}:{flag}" for flag in action.option_strings)
                values.append(f'    {flags}) words="{" ".join(map(str, action.choices))}" ;;')
        flags = " ".join(flag for action in _list_options(command) for flag in action.option_strings)
        choices = " ".join(str(c) for action in _list_words(command) for c in action.choices or ())
        options.append(f'    {name}) words="{f"{choices} {flags}".strip()}" ;;')
    return "\n".join(
        [
            "_skolem() {",
            '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"',
            '  local command="${COMP_WORDS[1]}" words=""',
            '  if [ "$COMP_CWORD" -eq 1 ]; then',
            f'    COMPREPLY=($(compgen -W "{" ".join(commands)} --help --version" -- "$word"))',
            "    return",
            "  fi",
            '  case "$command:$before" in',
            *values,
            "  esac",
            '  if [ -z "$words" ]; then case "$command" in',
            *options,
            "  esac; fi",
            '  COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))',
            "}",
            "complete -o filenames -F _skolem skolem",
            "",
        ]
    )


def write_fish() -> str:
    """The script for fish."""
    lines = []
    for name, command in _list_commands():
        help_text = (command.description or "").replace("'", "")
        lines.append(f"complete -c skolem -n __fish_use_subcommand -a {name} -d '{help_text}'")
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        for action in _list_words(command):
            if action.choices:
                lines.append(f"complete -c skolem {seen} -a '{' '.join(map(str, action.choices))}'")
        for action in _list_options(command):
            flags = " ".join(f"-l {f[2:]}" if f.startswith("--") else f"-s {f[1:]}" for f in action.option_strings)
            more = f" -xa '{' '.join(map(str, action.choices))}'" if action.choices else " -r" * _takes_value(action)
            lines.append(f"complete -c skolem {seen} {flags}{more}")
    return "\n".join(lines) + "\n"


def _list_commands() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in build_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def _list_options(command: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in command._actions if action.option_strings]


def _list_words(command: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in command._actions if not action.option_strings]


def _takes_value(action: argparse.Action) -> bool:
    return action.nargs != 0
