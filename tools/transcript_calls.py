"""The calls whose transcripts are kept: every command, with good input and with each kind of bad input."""

import json
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
PLACES = {"stores": "results/stores", "models": "src/skolem/models"}
"""Folders of the repository that calls name as {stores} and {models}, so that moving one changes no transcript."""


@dataclass(frozen=True)
class Call:
    """One call of the command line; {tmp} in its arguments is a folder of its own."""

    name: str
    arguments: tuple[str, ...]
    files: dict[str, str | bytes] = field(default_factory=dict)
    """What is in the folder when the call begins."""
    after: str | None = None
    """The call whose folder this one continues with a copy of."""
    hide: tuple[str, ...] = ()
    """Patterns whose groups depend on the clock."""
    fast: bool = False
    """Whether the test suite runs it too."""


def _call(name: str, line: str, *more: str, **settings: object) -> Call:
    return Call(name, (*line.split(), *more), **settings)  # type: ignore[arg-type]


def _change(path: str, old: str, new: str) -> str:
    """The text of an example with one change."""
    text = (REPOSITORY / path).read_text(encoding="utf-8")
    if old not in text:
        raise ValueError(f"{path} no longer has {old}")
    return text.replace(old, new, 1)


DOMAIN, PROBLEM = "examples/blocks/domain.pddl", "examples/blocks/tower.pddl"
TOWER = f"{DOMAIN} {PROBLEM}"
GRIPPER = "examples/gripper/domain.pddl examples/gripper/rooms.pddl"
DELIVERY = "examples/delivery/domain.pddl examples/delivery/parking.pddl"
VISITALL = "examples/visitall/domain.pddl examples/visitall/tour.pddl"
HOUSEHOLD = "examples/household/domain.pddl examples/household/breakfast.pddl"
MAP = "examples/colouring/domain.pddl examples/colouring/map.pddl"
CLIQUE = "examples/colouring/domain.pddl examples/colouring/clique.pddl"

PLAN = """(stack a f)
(unstack e c)
(stack e a)
(unstack c d)
(put-down c)
(pick-up d)
(stack d e)
(pick-up c)
(stack c d)
; cost = 9 (unit cost)
"""
CORRIDOR = "examples/visitall/domain.pddl tests/transcripts/corridor.pddl"
LAMP_DOMAIN = """(define (domain lamp)
  (:predicates (on ?x) (broken ?x))
  (:action switch
    :parameters (?x)
    :precondition (not (broken ?x))
    :effect (on ?x)))
"""
LAMP_PROBLEM = """(define (problem lamp)
  (:domain lamp)
  (:objects a b)
  (:init (broken a))
  (:goal GOAL))
"""


def _help() -> list[Call]:
    commands = ("plan", "ground", "validate", "generate", "draw", "label", "train", "evaluate", "report", "models")
    return [_call("help", "--help"), *(_call(f"help-{name}", f"{name} --help") for name in commands)]


def _usage() -> list[Call]:
    lines = {
        "nothing": "",
        "unknown-command": "fly",
        "plan-without-files": "plan",
        "plan-unknown-option": f"plan {TOWER} --fast",
        "plan-unknown-grounder": f"plan {TOWER} --grounder magic",
        "plan-negative-time": f"plan {TOWER} --time-limit -1",
        "plan-word-as-seed": f"plan {TOWER} --seed x",
        "ground-zero-width": f"ground {TOWER} --width 0",
        "generate-unknown-family": "generate towers -o {tmp}/out",
        "generate-without-output": "generate blocks",
        "train-unknown-preset": "train {tmp} --preset large -o {tmp}/model",
        "label-three-named": "label blocks --named 3 -o {tmp}/out",
        "evaluate-unknown-set": "evaluate hard",
        "evaluate-both-settings": "evaluate optimal --neq --no-neq",
    }
    return [_call(f"usage-{name}", line, fast=name == "plan-unknown-grounder") for name, line in lines.items()]


def _plan() -> list[Call]:
    calls = [
        _call("plan", f"plan {TOWER}"),
        _call("plan-json", f"plan {TOWER} --json"),
        _call("plan-quiet", f"plan {TOWER} -q"),
        _call("plan-verbose", f"plan {TOWER} --verbose --grounder end"),
        _call("plan-optimal", f"plan {TOWER} --planner seq-opt-lmcut", fast=True),
        _call("plan-search-string", f"plan {TOWER} --grounder bind-axiom --planner", "astar(blind())"),
        _call("plan-unknown-search", f"plan {TOWER} --grounder end --planner", "magic()"),
        _call("plan-beam", f"plan {TOWER} --grounder beam --width 3 --json"),
        _call("plan-policy", f"plan {TOWER} --planner policy --json"),
        _call("plan-policy-random", f"plan {TOWER} --grounder random --planner policy"),
        _call("plan-paper", f"plan {GRIPPER} --grounder learned --paper --json"),
        _call("plan-best-order", f"plan {GRIPPER} --grounder learned --order best --json"),
        _call("plan-head", f"plan {GRIPPER} --grounder learned --scores head --json"),
        _call("plan-random", f"plan {TOWER} --grounder random --seed 1 --json"),
        _call("plan-random-valid", f"plan {VISITALL} --grounder random-valid --seed 3"),
        _call("plan-delivery", f"plan {DELIVERY} --grounder learned --json"),
        _call("plan-household", f"plan {HOUSEHOLD} --json"),
        _call("plan-household-optimal", f"plan {HOUSEHOLD} --planner seq-opt-lmcut"),
        _call("plan-household-learned", f"plan {HOUSEHOLD} --grounder learned"),
        _call("plan-true-already", f"plan {MAP}", fast=True),
        _call("plan-unsolvable", f"plan {CLIQUE}", fast=True),
        _call("plan-unsolvable-json", f"plan {CLIQUE} --json"),
        _call("plan-unsolvable-quiet", f"plan {CLIQUE} -q"),
        _call("plan-file", f"plan {TOWER} --grounder end --plan-file {{tmp}}/plan --json"),
        _call("plan-file-unwritable", f"plan {TOWER} --grounder end --plan-file {{tmp}}/no/plan"),
        _call("plan-time-limit", f"plan {TOWER} --time-limit 0.05 --json"),
        _call(
            "plan-memory-limit", f"plan {VISITALL} --grounder bind-axiom --memory-limit 100 --planner", "astar(blind())"
        ),
        _call("plan-wrong-model", f"plan {TOWER} --grounder learned --model {{models}}/gripper"),
        _call("plan-no-model", f"plan {TOWER} --grounder learned --model {{tmp}}/none"),
        _call("plan-damaged-model", f"plan {TOWER} --grounder learned --model {{tmp}}", files={"config.json": "{"}),
        _call("plan-auto-no-model", f"plan {TOWER} --model {{tmp}}/none"),
    ]
    return calls + [_call(f"plan-{r}", f"plan {GRIPPER} --grounder {r}") for r in ("exact", "end", "miniscope", "dnf")]


def _ground() -> list[Call]:
    return [
        _call("ground", f"ground {TOWER}"),
        _call("ground-json", f"ground {TOWER} --json"),
        _call("ground-explain", f"ground {TOWER} --grounder learned --explain"),
        _call("ground-explain-exact", f"ground {TOWER} --grounder end --explain"),
        _call("ground-both", f"ground {GRIPPER} --grounder learned --scores both --order fixed --json"),
        _call("ground-output", f"ground {DELIVERY} --grounder random-valid -o {{tmp}}/grounded.pddl", fast=True),
        _call("ground-output-unwritable", f"ground {TOWER} --grounder random -o {{tmp}}/no/grounded.pddl"),
        _call("ground-household", f"ground {HOUSEHOLD} --json"),
        _call("ground-unsolvable", f"ground {CLIQUE} --json"),
        _call("ground-unsolvable-random", f"ground {CLIQUE} --grounder random-valid"),
    ]


def _bad_files() -> list[Call]:
    """`plan` with a mistake in the domain or in the problem."""
    problems: dict[str, str | bytes] = {
        "not-pddl": "Once upon a time\n",
        "empty": "",
        "not-utf8": b"(define (problem \xff))",
        "unbalanced": _change(PROBLEM, "(clear e)", "(clear e"),
        "one-too-many": _change(PROBLEM, "(clear e)", "(clear e))"),
        "unknown-predicate": _change(PROBLEM, "(blue ?x1)", "(blau ?x1)"),
        "unknown-object": _change(PROBLEM, "(ontable b)", "(ontable z)"),
        "unknown-section": _change(PROBLEM, "(:objects", "(:object"),
        "wrong-arity": _change(PROBLEM, "(blue ?x1)", "(blue ?x1 ?x2)"),
        "undeclared-variable": _change(PROBLEM, "(blue ?x1)", "(blue ?y)"),
        "object-twice": _change(PROBLEM, "a b c", "a a b c"),
        "other-domain": _change(PROBLEM, "(:domain blocks)", "(:domain bricks)"),
        "domain-as-problem": (REPOSITORY / DOMAIN).read_text(encoding="utf-8"),
        "preferences": _change(PROBLEM, "(:goal (exists", "(:constraints (and))\n  (:goal (exists"),
    }
    domains: dict[str, str | bytes] = {
        "unknown-requirement": _change(DOMAIN, ":strips", ":magic"),
        "unsupported": _change(DOMAIN, ":strips", ":durative-actions"),
        "unknown-type": _change(DOMAIN, ":parameters (?x)", ":parameters (?x - block)"),
        "unknown-effect": _change(DOMAIN, "(and (holding ?x)", "(and (helding ?x)"),
        "predicate-twice": _change(DOMAIN, "(red ?x)", "(red ?x) (red ?x)"),
    }
    fast = ("unknown-predicate", "unbalanced")
    return [
        *(
            _call(f"problem-{n}", f"plan {DOMAIN} {{tmp}}/p.pddl", files={"p.pddl": text}, fast=n in fast)
            for n, text in problems.items()
        ),
        *(
            _call(f"domain-{name}", f"plan {{tmp}}/d.pddl {PROBLEM}", files={"d.pddl": text})
            for name, text in domains.items()
        ),
        _call("problem-missing", f"plan {DOMAIN} {{tmp}}/none.pddl --json"),
        _call("problem-folder", f"plan {DOMAIN} {{tmp}}"),
        _call("problem-json", f"ground {DOMAIN} {{tmp}}/p.pddl --json", files={"p.pddl": problems["wrong-arity"]}),
        _call("problem-quiet", f"plan {DOMAIN} {{tmp}}/p.pddl -q", files={"p.pddl": problems["wrong-arity"]}),
    ]


def _other_goals() -> list[Call]:
    """Goals outside of the fragment that grounders bind."""
    goals = {
        "forall": "(forall (?x) (on ?x))",
        "or": "(exists (?x) (or (on ?x) (broken ?x)))",
        "negated": "(exists (?x) (and (on ?x) (not (broken ?x))))",
        "ground": "(and (on b))",
    }
    calls = []
    for name, goal in goals.items():
        files: dict[str, str | bytes] = {"d.pddl": LAMP_DOMAIN, "p.pddl": LAMP_PROBLEM.replace("GOAL", goal)}
        calls.append(_call(f"goal-{name}", "plan {tmp}/d.pddl {tmp}/p.pddl --json", files=files))
        if name in ("forall", "negated"):
            line = "ground {tmp}/d.pddl {tmp}/p.pddl --grounder random-valid"
            calls.append(_call(f"goal-{name}-random", line, files=files))
    return calls


def _validate() -> list[Call]:
    line = f"validate {TOWER} {{tmp}}/plan"
    plans: dict[str, str | bytes] = {
        "good": PLAN,
        "short": "(stack a f)\n",
        "impossible": "(stack a b)\n",
        "unknown-action": "(fly a f)\n",
        "unknown-object": "(stack a z)\n",
        "wrong-arity": "(stack a)\n",
        "not-a-plan": "stack a on f\n",
        "not-utf8": b"\xff\xfe",
    }
    return [
        *(_call(f"validate-{name}", line, files={"plan": text}, fast=name == "good") for name, text in plans.items()),
        _call("validate-json", f"{line} --json", files={"plan": PLAN}),
        _call("validate-short-json", f"{line} --json", files={"plan": "(stack a f)\n"}),
        _call("validate-missing", line),
    ]


def _generate_and_draw() -> list[Call]:
    return [
        _call("generate-blocks", "generate blocks --count 3 --seed 5 -o {tmp}/out"),
        _call("generate-blocks-c", "generate blocks-c --set optimal --neq --json -o {tmp}/out"),
        _call("generate-gripper", "generate gripper --set lama --size 20 --variables 4 -o {tmp}/out --json"),
        _call("generate-delivery", "generate delivery --set optimal --count 2 -q -o {tmp}/out"),
        _call("generate-visitall", "generate visitall --set lama --size 30 --neq -o {tmp}/out"),
        _call("generate-too-small", "generate blocks --size 2 --variables 6 --neq -o {tmp}/out"),
        _call("generate-unwritable", "generate blocks -o {tmp}/file/out --json", files={"file": ""}),
        _call("draw-blocks", f"draw {TOWER} -o {{tmp}}/tower.svg"),
        _call("draw-binding", f"draw {TOWER} --json -o {{tmp}}/tower.svg --binding", '{"?x5": "f"}'),
        _call("draw-household", f"draw {HOUSEHOLD} -o {{tmp}}/household.svg"),
        _call("draw-gripper-png", f"draw {GRIPPER} -q -o {{tmp}}/rooms.png"),
        _call("draw-not-json", f"draw {TOWER} -o {{tmp}}/tower.svg --binding x=a"),
        _call("draw-list", f"draw {TOWER} -o {{tmp}}/tower.svg --binding []"),
        _call("draw-unknown-variable", f"draw {TOWER} -o {{tmp}}/tower.svg --binding", json.dumps({"?z": "a"})),
        _call("draw-unknown-object", f"draw {TOWER} -o {{tmp}}/tower.svg --binding", json.dumps({"?x1": "z"})),
        _call("draw-other-suffix", f"draw {TOWER} -o {{tmp}}/tower.gif"),
        _call("draw-unwritable", f"draw {TOWER} -o {{tmp}}/no/tower.svg"),
    ]


def _label_and_train() -> list[Call]:
    label = f"label {CORRIDOR} --pairs 60 --jobs 1 -o {{tmp}}/dataset"
    train = "train {tmp}/dataset --steps 2 --layers 2"
    tour = f"{VISITALL} --grounder learned --model {{tmp}}/model"
    return [
        _call("label", label),
        _call("label-json", f"{label} --json --seed 1"),
        _call("label-again", label, after="label"),
        _call("label-other-plan", f"{label} --seed 7", after="label"),
        _call("label-unknown-family", "label towers -o {tmp}/dataset"),
        _call("label-named-files", f"{label} --named 1"),
        _call("label-missing", f"label {DOMAIN} {{tmp}}/none.pddl -o {{tmp}}/dataset"),
        _call("train", f"{train} -o {{tmp}}/model", after="label"),
        _call("train-paper-json", f"{train} --preset paper --json -o {{tmp}}/model", after="label"),
        _call("train-head-quiet", f"{train} --head -q -o {{tmp}}/model", after="label"),
        _call("train-start", f"{train} --start {{tmp}}/model -o {{tmp}}/second", after="train"),
        _call("train-again", f"{train} -o {{tmp}}/model", after="train"),
        _call("train-resume-nothing", f"{train} --resume -o {{tmp}}/model", after="label"),
        _call("train-start-other", f"{train} --start {{models}}/gripper -o {{tmp}}/model", after="label"),
        _call("train-no-dataset", "train {tmp}/none --steps 1 -o {tmp}/model"),
        _call(
            "train-damaged-dataset", f"{train} -o {{tmp}}/model", after="label", files={"dataset/train-0000.npz": "x"}
        ),
        _call("ground-own-model", f"ground {tour} --json", after="train"),
        _call("ground-own-model-head", f"ground {tour} --scores head", after="train"),
        _call("ground-cut-config", f"ground {tour}", after="train", files={"model/config.json": '{"format": 1}'}),
        _call("ground-cut-weights", f"ground {tour}", after="train", files={"model/model.safetensors": b"\0" * 9}),
    ]


def _evaluate() -> list[Call]:
    one = "--family gripper --no-neq --count 1 --jobs 1"
    lama = f"evaluate lama {one} --peers-count 1 --route bind-axiom --store {{tmp}}/lama.jsonl"
    scaling = f"evaluate scaling {one} --peers-count 1 --route bind-axiom --time-limit 3 --store {{tmp}}/scaling.jsonl"
    return [
        _call("evaluate-optimal", f"evaluate optimal {one}"),
        _call(
            "evaluate-optimal-two",
            "evaluate optimal --family visitall --family blocks-c --neq --count 2 --jobs 1 --json"
            " --grounder random-valid --grounder random --store {tmp}/optimal.jsonl -o {tmp}/pages",
        ),
        _call("evaluate-policy", f"evaluate policy {one}", hide=(r"100\.0% +(\d+\.\d+)$",)),
        _call("evaluate-policy-json", f"evaluate policy {one} --json -q"),
        _call("evaluate-lama", lama, hide=(r"bind-axiom +1 +100\.0% +(\d+\.\d+) ",)),
        _call("evaluate-lama-json", f"{lama} --route learned --route lama --json"),
        _call("evaluate-scaling", scaling, hide=(r"- +(\d+\.\d\d +- +\d+) *$",)),
        _call("evaluate-policy-two", f"evaluate policy {one} --grounder learned --grounder beam"),
        _call("evaluate-policy-random", f"evaluate policy {one} --grounder random"),
        _call("evaluate-unknown-route", f"evaluate scaling {one} --route magic --store {{tmp}}/scaling.jsonl"),
        _call("evaluate-damaged-store", lama, files={"lama.jsonl": "not a record\n"}),
        _call("evaluate-unwritable-store", lama, files={"lama.jsonl/file": ""}),
        _call("evaluate-wrong-model", f"evaluate optimal {one} --model {{models}}/blocks"),
        _call("report", "report --stores {stores} -o {tmp}/pages"),
        _call("report-no-stores", "report --stores {tmp} -o {tmp}/pages --json"),
        _call("models", "models"),
        _call("models-json", "models --json"),
    ]


CALLS = (
    *_help(),
    *_usage(),
    *_plan(),
    *_ground(),
    *_bad_files(),
    *_other_goals(),
    *_validate(),
    *_generate_and_draw(),
    *_label_and_train(),
    *_evaluate(),
)
