"""The processes that train one network together, started by torchrun; most often there is one."""

import os
import time
from types import TracebackType

import torch
import torch.distributed as dist
from torch import nn

from skolem.support.errors import UnsupportedError

_PAUSE_SECONDS = 0.2


class Processes:
    """This process among all: its rank, its device, and what they do together."""

    def __init__(self, device: str) -> None:
        self.rank = int(os.environ.get("RANK", "0"))
        self.size = int(os.environ.get("WORLD_SIZE", "1"))
        if device == "cuda" and not torch.cuda.is_available():
            raise UnsupportedError("there is no CUDA device here")
        place = int(os.environ.get("LOCAL_RANK", "0"))
        self.device = torch.device(device, place) if device == "cuda" else torch.device(device)

    def __enter__(self) -> "Processes":
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)
        else:
            # Training continues bit by bit after an interruption.
            self._deterministic = torch.are_deterministic_algorithms_enabled()
            torch.use_deterministic_algorithms(True)
        if self.size > 1:
            dist.init_process_group("nccl" if self.device.type == "cuda" else "gloo")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.size > 1:
            # The group's destructor waits for its threads with the interpreter locked, and they wait for the
            # interpreter to let go of the last tensors: without a pause for them both may wait forever.
            time.sleep(_PAUSE_SECONDS)
            dist.destroy_process_group()
        if self.device.type != "cuda":
            torch.use_deterministic_algorithms(self._deterministic)

    def share(self, model: nn.Module) -> nn.Module:
        """The model, with gradients averaged over all processes if there are several."""
        if self.size == 1:
            return model
        # A relation may have no atoms in a batch, so that its weights get no gradient.
        return nn.parallel.DistributedDataParallel(model, find_unused_parameters=True)

    def average(self, value: torch.Tensor) -> float:
        """The mean of a number over all processes."""
        if self.size > 1:
            dist.all_reduce(value)
        return float(value) / self.size

    def agree(self, value: float) -> float:
        """The first process's number, in all processes."""
        if self.size == 1:
            return value
        shared = torch.tensor(value, dtype=torch.float64, device=self.device)
        dist.broadcast(shared, src=0)
        return float(shared)

    def wait(self) -> None:
        """Waits until all processes are here."""
        if self.size > 1:
            dist.barrier()
