"""Microseconds of every kernel for several block sizes and numbers of warps, to choose those in `fused.py`.

python -m tools.kernel_times [DATASET] [--batch 1024]
"""

import argparse
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import torch
from benchmarks.training_speed import draw_family, load_graphs
from triton.testing import do_bench_cudagraph

from skolem.network.config import SKOLEM
from skolem.network.gpu import fused
from skolem.network.graphs import collate
from skolem.network.rgnn import RGNN


def main() -> None:
    """Prints one line for every kernel and setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", nargs="?", type=Path)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--precision", default="tf32", choices=["tf32", "ieee"])
    parser.add_argument("--settings", nargs="+", default=["64,4,1", "64,4,2", "64,8,1", "32,4,1", "128,8,1"])
    parser.add_argument("--node-settings", nargs="+", default=["16,4,1", "32,4,1", "32,8,1", "64,4,1", "64,8,1"])
    given = parser.parse_args()
    count = 4 * given.batch
    graphs = (load_graphs(given.dataset, count, SKOLEM, 8) if given.dataset else draw_family("blocks", count)).to(
        "cuda"
    )
    model = RGNN(SKOLEM, graphs.vocabulary).to("cuda")
    layout = fused.lay_out(collate(graphs, torch.arange(given.batch, device="cuda")))
    z = torch.randn(2, layout.nodes, 64, device="cuda")
    z_grad, kept = torch.randn_like(z[0]), torch.randn(layout.nodes, 32, device="cuda")
    slots = torch.randn(layout.count, 32, device="cuda")
    sizes = {arity: (len(layout.atoms[arity]), len(layout.programs[arity])) for arity in layout.atoms}
    print(f"{layout.nodes} nodes; arity: (atoms, programs) {sizes}", flush=True)

    def show(
        kernel: str, setting: str, part: fused.SlotLayout, call: Callable[[fused._Run], Callable[[], object]]
    ) -> None:
        block, warps, stages = map(int, setting.split(","))
        try:
            networks = [*(model.relation[str(arity)] for arity in part.atoms), model.update]
            weights = tuple(w.detach() for network in networks for w in network.parameters())
            run = fused._Run(part, SKOLEM, given.precision, weights)
            run.atoms = run.nodes = block
            fused._TUNING[kernel] = {"num_warps": warps, "num_stages": stages}
            taken = f"{1000 * do_bench_cudagraph(call(run), rep=10):8.1f} us"
        except Exception:
            taken = traceback.format_exc()
        print(f"{kernel:12} arities {list(part.atoms)!s:8} block,warps,stages {setting:9} {taken}", flush=True)

    for arity in layout.atoms:
        one = {arity}
        part = replace(
            layout,
            atoms={a: layout.atoms[a] for a in one},
            slots={a: layout.slots[a] for a in one},
            programs={a: layout.programs[a] for a in one},
        )
        for setting in given.settings:
            show("send", setting, part, lambda run: lambda: run.send(z[0], slots))
        for setting in given.settings:

            def send_back(run: fused._Run) -> Callable[[], object]:
                sums = run.make_sums()
                return lambda: run.send_back(z[0], z_grad, slots, sums)

            show("send_back", setting, part, send_back)
    for setting in given.node_settings:
        show("update", setting, layout, lambda run: lambda: run.renew(z[0], slots, z[1]))
    for setting in given.node_settings:

        def update_back(run: fused._Run) -> Callable[[], object]:
            sums = run.make_sums()
            return lambda: run.renew_back(z[0], z_grad, kept, slots, sums, collect=True)

        show("update_back", setting, layout, update_back)


if __name__ == "__main__":
    main()
