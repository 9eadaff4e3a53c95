"""Datasets of the made-up domain on disk, and a place for models that is not the user's own."""

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import torch
from tests.network.worlds import ATTRIBUTES, RELATIONS, fill_builder

from skolem.grounding.models import DATA
from skolem.oracle.dataset import Dataset, ShardBuilder, ShardFile, write_manifest, write_shard


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    """Small tensors on busy processors: several threads would mostly wait for each other."""
    torch.set_num_threads(1)


@pytest.fixture(autouse=True, scope="session")
def no_own_models(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The models of whoever runs the tests are none of their business, also in the processes that they start."""
    os.environ[DATA] = str(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="session")
def make_dataset(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Writes a dataset of that many training goals and returns its folder."""

    def make(goals: int, seed: int = 0) -> Path:
        folder = tmp_path_factory.mktemp("dataset")
        parts: dict[str, tuple[ShardFile, ...]] = {}
        for part, count, objects in (("train", goals, 4), ("validation", 12, 4), ("larger", 6, 6)):
            builder = ShardBuilder(RELATIONS)
            fill_builder(builder, Random(f"{seed} {part}"), count, objects, complete=part != "train")
            parts[part] = (write_shard(folder / f"{part}-0.npz", builder.build()),)
        write_manifest(Dataset(folder, "made-up", RELATIONS, {"seed": seed}, parts, ATTRIBUTES, ("wait",)))
        return folder

    return make
