"""From words on the command line to the options of one command.

Nothing heavy is imported here, so that help and usage errors come at once.
"""

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from skolem import __version__
from skolem.cli.options import (
    CheckOptions,
    CompletionOptions,
    DrawOptions,
    EvaluateOptions,
    ExplainOptions,
    GenerateOptions,
    GroundOptions,
    LabelOptions,
    LearnOptions,
    ModelsOptions,
    PlanOptions,
    ReportOptions,
    ServeOptions,
    TrainOptions,
    ValidateOptions,
)
from skolem.families.suite import NAMES as SUITE
from skolem.support.errors import UsageError
from skolem.support.similar import hint_similar

EXACT = ("exact", "bind-axiom", "end", "miniscope", "dnf")
GROUNDERS = ("auto", "learned", "beam", "random", "random-valid", *EXACT)
FAMILIES = ("blocks", "blocks-c", "gripper", "delivery", "visitall")
PRESETS = ("paper", "paper-code", "skolem")
SETS = ("optimal", "policy", "lama", "scaling", "suite", "unsolved")
BOUND_SECONDS = 1.0


@dataclass(frozen=True)
class Command:
    """A command as it was called."""

    name: str
    options: Any
    """The command's dataclass of `skolem.cli.options`."""
    json: bool
    quiet: bool
    verbose: bool


def parse_command(arguments: Sequence[str]) -> Command:
    """The command that the words spell; a UsageError if they spell none."""
    words = _give_bound(arguments)
    if words and not words[0].startswith("-") and words[0] not in COMMANDS:
        raise UsageError(f"there is no command '{words[0]}'{hint_similar(words[0], COMMANDS)} (see skolem --help)")
    parser = build_parser(words)
    known, extra = parser.parse_known_args(words)
    given = vars(known)
    _take_extra(parser, given, extra)
    command = {name: given.pop(name) for name in ("json", "quiet", "verbose")}
    name, kind = given.pop("command"), given.pop("kind")
    names = {field.name for field in fields(kind)}
    if kind is TrainOptions:
        given["settings"] = {setting: value for setting, value in given.items() if setting not in names}
    return Command(name, kind(**{name: given[name] for name in names}), **command)


def _give_bound(arguments: Sequence[str]) -> list[str]:
    """The words with seconds behind each `--bound` that has none: a file's name could stand there."""
    words = list(arguments)
    for place, word in enumerate(words):
        after = words[place + 1] if place + 1 < len(words) else ""
        if word == "--bound" and not after.replace(".", "", 1).replace("e", "", 1).isdigit():
            words[place] = f"--bound={BOUND_SECONDS:g}"
    return words


def _take_extra(parser: argparse.ArgumentParser, given: dict[str, Any], extra: list[str]) -> None:
    """Puts words that were left over where they belong; a UsageError if that is nowhere.

    The parser takes the first file before an option for the problem, since the domain may be left out.
    """
    if extra and given.get("domain", "") is None and not extra[0].startswith("-"):
        word = extra.pop(0)
        given["domain"], given["problem"] = given["problem"], word
        if given["kind"] is ValidateOptions:
            given["problem"], given["plan"] = str(given["plan"]), Path(word)
    if extra:
        used = parser if "command" not in given else _find_command(parser, given["command"])
        flag = next((word.partition("=")[0] for word in extra if word.startswith("-")), "")
        flags = [name for action in used._actions for name in action.option_strings]
        hint = hint_similar(flag, flags) if flag else ""
        used.error(f"unrecognized arguments: {' '.join(extra)}{hint}")


def _find_command(parser: argparse.ArgumentParser, name: str) -> argparse.ArgumentParser:
    (action,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    found: argparse.ArgumentParser = action.choices[name]
    return found


def build_parser(arguments: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser of the command that is called, or of all where there is none such."""
    parser = _Parser(
        prog="skolem",
        description="Grounds existentially quantified planning goals, then plans.",
        epilog=f"example:\n  skolem {EXAMPLES['plan']}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"skolem {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in COMMANDS.keys() & set(arguments[:1]) or COMMANDS:
        kind, text, add_options = COMMANDS[name]
        example = f"example:\n  skolem {EXAMPLES[name]}" if name in EXAMPLES else None
        layout = argparse.RawDescriptionHelpFormatter
        command = commands.add_parser(name, help=text, description=text, epilog=example, formatter_class=layout)
        command.set_defaults(kind=kind)
        command.add_argument("--seed", type=int, default=0, help="seed of everything random (default 0)")
        command.add_argument("--json", action="store_true", help="print one JSON value instead of text")
        command.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")
        command.add_argument("--verbose", action="store_true", help="show a traceback for unexpected errors")
        add_options(command)
        if name in arguments[:1] and name == "train":
            # Only then: they need the modules of training.
            _add_settings(command)
    return parser


class _Parser(argparse.ArgumentParser):
    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += hint_similar(str(value), map(str, action.choices or ()))
            raise

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


def _add_plan(command: argparse.ArgumentParser) -> None:
    _add_search(command)
    command.add_argument(
        "--effort",
        choices=("fast", "default", "best"),
        default="default",
        help="take the first plan, improve it as long as that pays, or go on until the time limit (default: default)",
    )
    command.add_argument("--plan-file", type=Path, metavar="F", help="write the plan in the IPC format")
    command.add_argument(
        "--bound",
        nargs="?",
        type=_positive(float),
        const=BOUND_SECONDS,
        metavar="S",
        help=f"say how far from optimal the plan can be, by a search of S seconds (default {BOUND_SECONDS:g})",
    )


def _add_ground(command: argparse.ArgumentParser) -> None:
    _add_search(command)
    command.add_argument("-o", "--output", type=Path, metavar="F", help="write the grounded problem to F")
    command.add_argument("--explain", action="store_true", help="show how every object was chosen")


def _add_explain(command: argparse.ArgumentParser) -> None:
    _add_search(command)
    command.add_argument(
        "--why",
        action="append",
        metavar="VARIABLE=OBJECT",
        help="what the plan costs with this object; x=a,y=b for several at once; may be repeated",
    )
    command.add_argument("-o", "--output", type=Path, metavar="F.svg|F.png", help="draw the explanation")


def _add_check(command: argparse.ArgumentParser) -> None:
    command.add_argument("domain", help="PDDL domain file, or a problem file with its domain beside it")
    command.add_argument("problem", nargs="?", help="PDDL problem file")


def _add_completion(command: argparse.ArgumentParser) -> None:
    command.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell that is to complete commands")


def _add_validate(command: argparse.ArgumentParser) -> None:
    _add_task(command)
    command.add_argument("plan", type=Path, help="plan file in the IPC format")


def _add_generate(command: argparse.ArgumentParser) -> None:
    names = (*FAMILIES, *SUITE)
    command.add_argument("family", choices=names, metavar="FAMILY", help=f"one of {', '.join(names)}")
    command.add_argument(
        "--set",
        dest="set_",
        choices=("train", "optimal", "lama", "test"),
        default="train",
        help="train, and optimal or lama of the paper's families, test of the others (default train)",
    )
    command.add_argument("--size", type=_positive(int), metavar="N", help="number of constants")
    command.add_argument("--variables", type=_positive(int), metavar="K", help="number of goal variables")
    command.add_argument("--neq", action="store_true", help="pairwise different objects")
    command.add_argument("--count", type=_positive(int), default=1, metavar="N", help="how many tasks (default 1)")
    command.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="where the files go")


def _add_label(command: argparse.ArgumentParser) -> None:
    command.add_argument("source", nargs="+", metavar="FAMILY | DOMAIN PROBLEM", help="a family, or PDDL files")
    command.add_argument(
        "--pairs", type=_positive(int), default=40_000, metavar="N", help="training pairs (default 40000)"
    )
    command.add_argument(
        "--preset", choices=PRESETS, default="skolem", help="what a family's tasks and goals are drawn for"
    )
    command.add_argument(
        "--neq", action="store_true", help="goals with pairwise different objects, for the preset paper-code"
    )
    command.add_argument(
        "--states",
        type=_positive(int),
        metavar="N",
        help="leave out tasks of a family with more states, every tenth with five times as many",
    )
    _add_workers(command)
    command.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DATASET", help="the folder of the dataset"
    )


def _add_train(command: argparse.ArgumentParser) -> None:
    command.add_argument("dataset", type=Path, help="the folder of a dataset of label")
    command.add_argument("--preset", choices=PRESETS, default="skolem", help="default skolem")
    command.add_argument("--recipe", type=Path, metavar="FILE.toml", help="settings in place of the preset's")
    command.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="default cpu")
    command.add_argument(
        "--minutes", type=_positive(float), metavar="M", help="stop after so many minutes (default 30)"
    )
    command.add_argument("--steps", type=_positive(int), metavar="N", help="stop after so many steps")
    command.add_argument(
        "--validations",
        type=_positive(int),
        default=20,
        metavar="N",
        help="how often the network is validated and saved (default 20)",
    )
    command.add_argument(
        "--jobs", type=_positive(int), default=1, metavar="N", help="processes that encode the dataset (default 1)"
    )
    command.add_argument("--start", type=Path, metavar="MODEL", help="start from the weights of a model")
    command.add_argument("--resume", action="store_true", help="continue an interrupted run")
    command.add_argument("--tensorboard", action="store_true", help="write TensorBoard logs too")
    command.add_argument("-o", "--output", type=Path, required=True, metavar="MODEL", help="the folder of the model")


def _add_learn(command: argparse.ArgumentParser) -> None:
    command.add_argument("domain", help="PDDL domain file")
    command.add_argument("problems", nargs="+", metavar="PROBLEM", help="small PDDL problems; they need no goals")
    command.add_argument("-o", "--output", type=Path, required=True, metavar="MODEL", help="the folder of the model")
    command.add_argument(
        "--minutes", type=_positive(float), metavar="M", help="for everything (default: 15 on a CPU, 10 on a GPU)"
    )
    command.add_argument(
        "--steps", type=_positive(int), metavar="N", help="end after so many steps instead: the same result every time"
    )
    command.add_argument("--pairs", type=_positive(int), metavar="N", help="the most labelled pairs")
    command.add_argument(
        "--goals", type=_positive(int), default=40, metavar="N", help="larger goals to measure on (default 40)"
    )
    command.add_argument("--device", choices=("cpu", "cuda"), help="default: a GPU where there is one")
    command.add_argument(
        "--labels",
        choices=("exact", "self"),
        default="exact",
        help="costs by search, or upper bounds by walks that the network so far guides (default exact)",
    )
    command.add_argument("--jobs", type=_positive(int), metavar="N", help="processes that label (default: all cores)")
    command.add_argument("--resume", action="store_true", help="continue an interrupted run, or one for longer")


def _add_settings(command: argparse.ArgumentParser) -> None:
    """One option for every setting of the network and of the recipe; what is not given is not there."""
    from skolem.training.settings import SETTINGS

    group = command.add_argument_group("settings", "of the network and of training, in place of the preset's")
    for setting in SETTINGS.values():
        usual = ", ".join(f"{preset}: {value}".lower() for preset, value in setting.presets.items())
        add = partial(group.add_argument, f"--{setting.name}", default=argparse.SUPPRESS, help=usual)
        if setting.kind is bool:
            add(action=argparse.BooleanOptionalAction)
        elif setting.choices:
            add(choices=setting.choices)
        else:
            add(type=_name("number", setting.parse), metavar="NUMBER")


def _add_evaluate(command: argparse.ArgumentParser) -> None:
    command.add_argument("set_", choices=SETS, metavar="|".join(SETS), help="what is measured")
    command.add_argument(
        "--family",
        choices=(*FAMILIES, *SUITE),
        action="append",
        metavar="F",
        help=f"default: all; may be repeated; {', '.join(FAMILIES)}, or in the suite {', '.join(SUITE)}",
    )
    settings = command.add_mutually_exclusive_group()
    settings.add_argument("--neq", dest="neq", action="store_true", default=None, help="only with inequalities")
    settings.add_argument("--no-neq", dest="neq", action="store_false", help="only without inequalities")
    command.add_argument(
        "--grounder",
        choices=(*GROUNDERS, "paper"),
        action="append",
        help="default learned; may be repeated; paper: learned --paper",
    )
    _add_choosing(command)
    command.add_argument("--count", type=_positive(int), metavar="N", help="only the first N instances of each set")
    _add_workers(command)
    command.add_argument(
        "--store",
        type=Path,
        metavar="FILE",
        help="results, kept and continued (lama, scaling, suite: SET.jsonl; unsolved: lama.jsonl)",
    )
    command.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="write tables and plots of the optimal sets there"
    )
    large = command.add_argument_group(
        "lama, scaling, suite, and unsolved (tasks of lama that lama-first did not solve)"
    )
    large.add_argument("--peers-count", type=_positive(int), metavar="N", help="instances for the slower peers")
    large.add_argument("--route", action="append", metavar="R", help="only this route; may be repeated")
    # Other names than those of `plan`: these limits hold for each instance, not for the command.
    large.add_argument(
        "--time-limit", dest="seconds", type=_positive(float), default=60.0, metavar="S", help="default 60"
    )
    large.add_argument(
        "--memory-limit", dest="megabytes", type=_positive(int), default=4000, metavar="MB", help="default 4000"
    )


def _add_report(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--stores", type=Path, default=Path("results/stores"), metavar="DIR", help="default results/stores"
    )
    command.add_argument("-o", "--output", type=Path, default=Path("results"), metavar="DIR", help="default results")


def _add_draw(command: argparse.ArgumentParser) -> None:
    _add_task(command)
    command.add_argument("--binding", metavar="JSON", help='objects of variables, as {"?x": "a"}')
    command.add_argument("--plan", type=Path, metavar="F", help="draw the states that a plan file leads through")
    command.add_argument("--animate", action="store_true", help="the states one after another, in a moving SVG")
    command.add_argument("-o", "--output", type=Path, required=True, metavar="F.svg|F.png", help="the picture")


def _add_serve(command: argparse.ArgumentParser) -> None:
    way = command.add_mutually_exclusive_group()
    way.add_argument("--stdio", action="store_true", help="answer JSON lines on standard input instead of HTTP")
    way.add_argument("--mcp", action="store_true", help="offer tools to a language model on standard input instead")
    command.add_argument("--host", default="127.0.0.1", help="the address to listen at (default 127.0.0.1)")
    command.add_argument("--port", type=_name("port", _parse_port), default=8642, help="default 8642; 0 for a free one")
    command.add_argument(
        "--allow-host", action="append", default=[], metavar="HOST", help="a further name by which clients may call it"
    )
    workers = max(2, os.cpu_count() or 2)
    command.add_argument("--workers", type=_positive(int), default=workers, metavar="N", help=f"default {workers}")
    command.add_argument("--queue", type=_positive(int), default=64, metavar="N", help="questions that may wait")
    command.add_argument(
        "--time-limit", type=_positive(float), default=60.0, metavar="S", help="of each question at most (default 60)"
    )
    command.add_argument(
        "--memory-limit", type=_positive(int), default=2000, metavar="MB", help="of each question (default 2000)"
    )


def _parse_port(text: str) -> int:
    port = int(text)
    if not 0 <= port < 1 << 16:
        raise argparse.ArgumentTypeError(f"{text} is not a port")
    return port


def _add_models(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action", nargs="?", choices=("list", "add", "remove", "which"), default="list", help="default list"
    )
    command.add_argument(
        "words", nargs="*", metavar="MODEL | NAME | DOMAIN PROBLEM", help="a folder to add, a name to remove, or a task"
    )
    command.add_argument("--name", metavar="NAME", help="what to call the model that is added (default: as its folder)")


def _add_task(command: argparse.ArgumentParser) -> None:
    command.add_argument("domain", nargs="?", help="PDDL domain file; left out, it is looked for beside the problem")
    command.add_argument("problem", help="PDDL problem file, or - for standard input")


def _add_search(command: argparse.ArgumentParser) -> None:
    _add_task(command)
    command.add_argument("--grounder", choices=GROUNDERS, default="auto", help="default auto")
    _add_choosing(command)
    command.add_argument("--planner", default="lama-first", help="Fast Downward alias or --search string, or policy")
    command.add_argument("--time-limit", type=_positive(float), metavar="S", help="wall-clock seconds for everything")
    command.add_argument("--memory-limit", type=_positive(int), metavar="MB", help="megabytes for everything")


def _add_choosing(command: argparse.ArgumentParser) -> None:
    """How a model chooses objects."""
    command.add_argument(
        "--model", type=Path, metavar="PATH|NAME", help="a model's folder or name instead of the one that fits best"
    )
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
    command.add_argument(
        "--revise",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="in the order best, compared in full: look at every choice again when the others are known (default: yes)",
    )


def _add_workers(command: argparse.ArgumentParser) -> None:
    command.add_argument("--jobs", type=_positive(int), default=os.cpu_count() or 1, metavar="N", help="processes")
    command.add_argument(
        "--backend",
        choices=("loky", "ray", "spawn"),
        default="loky",
        help="joblib's processes, a cluster, or processes that need no other package (default loky)",
    )


def _positive(number: type[int] | type[float]) -> Callable[[str], float]:
    def parse(text: str) -> float:
        value = number(text)
        if not 0 < value < float("inf"):
            raise argparse.ArgumentTypeError(f"{text} is not a positive number")
        return value

    return _name("positive number", parse)


def _name(name: str, parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """A function of words under the name that usage errors call its values by."""

    def parse_named(text: str) -> Any:
        return parse(text)

    parse_named.__name__ = name
    return parse_named


COMMANDS: dict[str, tuple[type, str, Callable[[argparse.ArgumentParser], None]]] = {
    "plan": (PlanOptions, "Find the objects of a quantified goal and a validated plan.", _add_plan),
    "ground": (
        GroundOptions,
        "Bind the variables of a quantified goal and write the grounded problem.",
        _add_ground,
    ),
    "explain": (ExplainOptions, "Say why these objects were chosen, and what another one would cost.", _add_explain),
    "check": (
        CheckOptions,
        "Find all mistakes of a task, and say what its goal means and how it is solved.",
        _add_check,
    ),
    "validate": (ValidateOptions, "Check a plan against the quantified goal.", _add_validate),
    "generate": (GenerateOptions, "Write random tasks of a family.", _add_generate),
    "label": (
        LabelOptions,
        "Label goals of a family, or of a domain and problems, with their exact costs.",
        _add_label,
    ),
    "learn": (LearnOptions, "Learn a model for a domain from a few of its problems.", _add_learn),
    "train": (TrainOptions, "Train a model on a labelled dataset.", _add_train),
    "evaluate": (EvaluateOptions, "Measure the bindings of a grounder on the test sets.", _add_evaluate),
    "report": (ReportOptions, "Build the pages of the results from their stores.", _add_report),
    "models": (ModelsOptions, "List the models, add or remove your own, or say which one fits a task.", _add_models),
    "serve": (ServeOptions, "Answer questions over HTTP, with a page to play on.", _add_serve),
    "completion": (CompletionOptions, "Print a script with which a shell completes commands.", _add_completion),
    "draw": (DrawOptions, "Draw a task's initial state and goal.", _add_draw),
}
"""The options, the purpose and the arguments of every command."""

TOWER = "examples/blocks/tower.pddl"
EXAMPLES = {
    "plan": f"plan {TOWER} --bound",
    "ground": f"ground {TOWER} --explain",
    "explain": f"explain {TOWER} --why x5=b",
    "check": f"check {TOWER}",
    "validate": f"validate {TOWER} examples/blocks/tower.plan",
    "generate": "generate blocks --count 3 -o tasks",
    "learn": "learn examples/robot/domain.pddl examples/robot/mugs.pddl --minutes 2 -o my-kitchen",
    "label": "label blocks --pairs 2000 -o labelled",
    "train": "train labelled --minutes 2 -o model",
    "evaluate": "evaluate optimal --family blocks --count 10",
    "report": "report",
    "models": f"models which examples/blocks/domain.pddl {TOWER}",
    "serve": "serve --port 8642",
    "completion": "completion bash >> ~/.bashrc",
    "draw": f"draw {TOWER} --plan examples/blocks/tower.plan -o tower.svg",
}
"""A call of every command that works in a clone of the repository, one after another."""
