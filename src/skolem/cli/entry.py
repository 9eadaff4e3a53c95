"""The command line: reads options, calls one function per command, and maps outcomes to exit codes."""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from skolem.support.errors import ExitCode, InputError, SkolemError

_GROUNDERS = ("auto", "learned", "beam", "random", "random-valid", "exact", "bind-axiom", "end", "miniscope", "dnf")
_FAMILIES = ("blocks", "blocks-c", "gripper", "delivery", "visitall")
# What an error leaves empty in a command's JSON, so that its keys are always there.
_EMPTY: dict[str, dict[str, Any]] = {
    "plan": {"binding": None, "cost": None, "plan": None, "valid": False, "route": None, "times": {}},
    "ground": {"binding": None, "predicted_cost": None, "trace": [], "route": None, "times": {}},
}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(ExitCode.USAGE_ERROR, f"skolem: {message} (see {self.prog} --help)\n")


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands and their options."""
    parser = _Parser(prog="skolem", description="Grounds existentially quantified planning goals, then plans.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, text: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("--seed", type=int, default=0, help="seed of everything random (default 0)")
        command.add_argument("--json", action="store_true", help="print one JSON value instead of text")
        command.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")
        command.add_argument("--verbose", action="store_true", help="show a traceback for unexpected errors")
        return command

    def add_task(command: argparse.ArgumentParser) -> None:
        command.add_argument("domain", help="PDDL domain file")
        command.add_argument("problem", help="PDDL problem file")

    def add_grounder(command: argparse.ArgumentParser, default: str, *, several: bool = False) -> None:
        if several:
            command.add_argument(
                "--grounder",
                choices=(*_GROUNDERS, "paper"),
                action="append",
                help=f"default {default}; may be repeated; paper: learned --paper",
            )
        else:
            command.add_argument("--grounder", choices=_GROUNDERS, default=default, help=f"default {default}")
        command.add_argument("--model", type=Path, metavar="PATH", help="a model's folder instead of a shipped one")
        command.add_argument("--paper", action="store_true", help="the paper's model and policy over all objects")
        command.add_argument("--width", type=_positive(int), default=8, metavar="N", help="of beam (default 8)")
        command.add_argument(
            "--scores",
            choices=("full", "head", "both"),
            help="compare objects by the value of the bound goal, by the model's head, or in full the head's best"
            " (default: both in a fixed order if the model has a head, else full)",
        )
        command.add_argument(
            "--order",
            choices=("best", "fixed"),
            help="compare the objects of all variables at every step, or only those of the first unbound one"
            " (default: fixed in auto, else best)",
        )

    def add_planning(command: argparse.ArgumentParser) -> None:
        add_task(command)
        add_grounder(command, "auto")
        command.add_argument(
            "--planner", default="lama-first", help="Fast Downward alias or --search string, or policy"
        )
        command.add_argument(
            "--time-limit", type=_positive(float), metavar="S", help="wall-clock seconds for everything"
        )
        command.add_argument("--memory-limit", type=_positive(int), metavar="MB")

    def add_workers(command: argparse.ArgumentParser) -> None:
        command.add_argument("--jobs", type=_positive(int), default=os.cpu_count() or 1, metavar="N", help="processes")
        command.add_argument("--backend", choices=("loky", "ray"), default="loky", help="joblib backend")

    plan = add("plan", "Find the objects of a quantified goal and a validated plan.")
    add_planning(plan)
    plan.add_argument("--plan-file", type=Path, metavar="F", help="write the plan in the IPC format")

    ground = add("ground", "Bind the variables of a quantified goal and write the grounded problem.")
    add_planning(ground)
    ground.add_argument("-o", "--output", type=Path, metavar="F", help="write the grounded problem to F")
    ground.add_argument("--explain", action="store_true", help="show how every object was chosen")

    check = add("validate", "Check a plan against the quantified goal.")
    add_task(check)
    check.add_argument("plan", type=Path, help="plan file in the IPC format")

    generate = add("generate", "Write random tasks of a family.")
    generate.add_argument("family", choices=_FAMILIES)
    generate.add_argument("--set", dest="set_", choices=("train", "optimal", "lama"), default="train")
    generate.add_argument("--size", type=_positive(int), metavar="N", help="number of constants")
    generate.add_argument("--variables", type=_positive(int), metavar="K", help="number of goal variables")
    generate.add_argument("--neq", action="store_true", help="pairwise different objects")
    generate.add_argument("--count", type=_positive(int), default=1, metavar="N")
    generate.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")

    label = add("label", "Label goals of a family, or of a domain and problems, with their exact costs.")
    label.add_argument("source", nargs="+", metavar="FAMILY | DOMAIN PROBLEM", help="a family, or PDDL files")
    label.add_argument(
        "--pairs", type=_positive(int), default=40_000, metavar="N", help="training pairs (default 40000)"
    )
    label.add_argument(
        "--named", type=int, choices=(0, 1, 2), default=0, help="goals of a family may name so many objects more"
    )
    add_workers(label)
    label.add_argument("-o", "--output", type=Path, required=True, metavar="DATASET")

    train = add("train", "Train a model on a labelled dataset.")
    train.add_argument("dataset", type=Path)
    train.add_argument("--preset", choices=("paper", "skolem"), default="skolem")
    train.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    train.add_argument("--minutes", type=_positive(float), metavar="M", help="stop after so many minutes (default 30)")
    train.add_argument("--steps", type=_positive(int), metavar="N", help="stop after so many steps")
    train.add_argument(
        "--layers", type=_positive(int), metavar="N", help="layers of the network instead of the preset's"
    )
    train.add_argument("--head", action="store_true", help="also learn to score all bindings in one pass")
    train.add_argument("--start", type=Path, metavar="MODEL", help="start from the weights of a model")
    train.add_argument("--resume", action="store_true", help="continue an interrupted run")
    train.add_argument("--tensorboard", action="store_true", help="write TensorBoard logs too")
    train.add_argument("-o", "--output", type=Path, required=True, metavar="MODEL")

    evaluate = add("evaluate", "Measure the bindings of a grounder on the test sets.")
    sets = ("optimal", "policy", "lama", "scaling")
    evaluate.add_argument("set_", choices=sets, metavar="|".join(sets))
    evaluate.add_argument("--family", choices=_FAMILIES, action="append", help="default: all; may be repeated")
    settings = evaluate.add_mutually_exclusive_group()
    settings.add_argument("--neq", dest="neq", action="store_true", default=None, help="only with inequalities")
    settings.add_argument("--no-neq", dest="neq", action="store_false", help="only without inequalities")
    add_grounder(evaluate, "learned", several=True)
    evaluate.add_argument("--count", type=_positive(int), metavar="N", help="only the first N instances of each set")
    add_workers(evaluate)
    evaluate.add_argument(
        "--store", type=Path, metavar="FILE", help="results, kept and continued (lama, scaling: SET.jsonl)"
    )
    evaluate.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="write tables and plots of the optimal sets there"
    )
    large = evaluate.add_argument_group("lama and scaling")
    large.add_argument("--peers-count", type=_positive(int), metavar="N", help="instances for the slower peers")
    large.add_argument("--route", action="append", metavar="R", help="only this route; may be repeated")
    # Other names than those of `plan`: these limits hold for each instance, not for the command.
    large.add_argument("--time-limit", dest="seconds", type=_positive(float), default=60.0, metavar="S")
    large.add_argument("--memory-limit", dest="megabytes", type=_positive(int), default=4000, metavar="MB")

    report = add("report", "Build the pages of the results from their stores.")
    report.add_argument("--stores", type=Path, default=Path("results/stores"), metavar="DIR")
    report.add_argument("-o", "--output", type=Path, default=Path("results"), metavar="DIR")

    add("models", "List the models that come with Skolem.")

    draw = add("draw", "Draw a task's initial state and goal.")
    add_task(draw)
    draw.add_argument("--binding", metavar="JSON", help='objects of variables, as {"?x": "a"}')
    draw.add_argument("-o", "--output", type=Path, required=True, metavar="F.svg|F.png")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    options = vars(build_parser().parse_args(arguments))
    name, verbose = options.pop("command"), options.pop("verbose")
    # Imported here, so that --help and usage errors answer at once.
    from skolem.cli.commands import COMMANDS
    from skolem.cli.output import Console

    console = Console(options.pop("json"), options.pop("quiet"))
    empty = _EMPTY.get(name, {})

    def report(code: ExitCode, message: str) -> None:
        console.fail(f"skolem: {message}", code, empty)

    def work() -> int:
        try:
            return COMMANDS[name](console, **options)
        except InputError as error:
            # Editors jump to lines that begin with file:line:column.
            return console.fail(str(error), error.exit_code, empty)
        except SkolemError as error:
            return console.fail(f"skolem: {error}", error.exit_code, empty)
        except BrokenPipeError:
            # The reader of our output has gone; there is nobody to tell.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 128 + signal.SIGPIPE
        except (MemoryError, RecursionError, KeyboardInterrupt):
            raise
        except Exception as error:
            if verbose:
                raise
            message = f"skolem: internal error: {error!r} (--verbose shows more)"
            return console.fail(message, ExitCode.DRIVER_CRITICAL_ERROR, empty)

    try:
        if "time_limit" not in options:
            return work()
        from skolem.support.guard import run_guarded

        return run_guarded(work, options["time_limit"], options["memory_limit"], report)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _positive(number: type[int] | type[float]) -> Callable[[str], float]:
    def parse(text: str) -> float:
        value = number(text)
        if not 0 < value < float("inf"):
            raise argparse.ArgumentTypeError(f"{text} is not a positive number")
        return value

    parse.__name__ = "positive number"
    return parse
