"""What a command loads: planning, grounding and validating need nothing of training, drawing or evaluation."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from skolem.families.registry import FAMILIES
from skolem.network.checkpoint import save_model
from skolem.network.config import SKOLEM
from skolem.network.model_folder import ModelCard
from skolem.network.rgnn import RGNN
from skolem.network.vocabulary import Vocabulary
from skolem.oracle.training_tasks import FamilyOrigin, Variety

TOWER = ("examples/blocks/domain.pddl", "examples/blocks/tower.pddl")
SCRIPT = """
import json, sys
from importlib import import_module
from skolem.cli.entry import HANDLERS
from skolem.cli.output import Console
from skolem.cli.parser import parse_command

command = parse_command(sys.argv[1:])
module, _, function = HANDLERS[command.name].partition(":")
code = getattr(import_module(module), function)(Console(), command.options)
print(json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]))
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of blocks with random weights."""
    folder = tmp_path_factory.mktemp("model")
    torch.manual_seed(0)
    origin = FamilyOrigin(FAMILIES["blocks"], "train", 1, variety=Variety(masks=0.5))
    vocabulary = Vocabulary.of(origin.relations, True, origin.attributes)
    card = ModelCard(SKOLEM, vocabulary, "blocks", 30.0, ("on",), origin.actions, origin.metric)
    save_model(folder, card, RGNN(SKOLEM, vocabulary).state_dict())
    return folder


def list_loaded(*arguments: str) -> set[str]:
    """The packages that are loaded when a command has done its work."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, check=True)
    code, packages = json.loads(done.stdout.splitlines()[-1])
    assert code == 0
    return set(packages)


@pytest.mark.parametrize(
    "arguments",
    [
        ("plan", *TOWER, "--grounder", "exact"),
        ("plan", *TOWER, "--model", "MODEL"),
        ("plan", *TOWER, "--model", "MODEL", "--effort", "fast"),
        ("ground", *TOWER, "--model", "MODEL"),
        ("validate", *TOWER, "PLAN"),
    ],
)
def test_no_command_about_a_task_loads_what_it_does_not_need(
    arguments: tuple[str, ...], model: Path, tmp_path: Path
) -> None:
    places = {"MODEL": str(model), "PLAN": str(tmp_path / "plan")}
    if "PLAN" in arguments:
        list_loaded("plan", *TOWER, "--grounder", "exact", "--plan-file", places["PLAN"])
    loaded = list_loaded(*(places.get(word, word) for word in arguments))
    assert not loaded & {"torch", "pymimir", "matplotlib", "joblib", "ray", "unified_planning"}
