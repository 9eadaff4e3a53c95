"""What training minimises, and how well siblings are told apart."""

import torch

Tensor = torch.Tensor


def rank_siblings(predicted: Tensor, targets: Tensor, groups: Tensor) -> Tensor:
    """The mean surprise, over groups of siblings, that a choice by least predicted cost is one of the best.

    The choice is soft: sibling i is taken with probability proportional to exp(-predicted cost). Samples with
    group -1 have no siblings.
    """
    inside = groups >= 0
    _, group = groups[inside].unique(return_inverse=True)  # type: ignore[no-untyped-call]
    scores, wanted = -predicted[inside], targets[inside]
    count = int(group.max()) + 1 if len(group) else 0
    if not count:
        return predicted.sum() * 0
    best = wanted.new_full((count,), torch.inf).scatter_reduce(0, group, wanted, "amin")
    optimal = wanted <= best[group]
    everyone = _add_logarithms(scores, group, count)
    surprise = everyone - _add_logarithms(scores[optimal], group[optimal], count)
    return surprise.mean()


def _add_logarithms(values: Tensor, group: Tensor, count: int) -> Tensor:
    """log(sum(exp(values))) of every group."""
    with torch.no_grad():
        largest = values.new_full((count,), -torch.inf).scatter_reduce(0, group, values, "amax")
    terms = torch.exp(values - largest[group])
    return largest + values.new_zeros(count).index_add(0, group, terms).log()


def measure_choices(predicted: Tensor, targets: Tensor, groups: Tensor) -> tuple[int, int]:
    """How many groups of siblings with different costs there are, and in how many the least prediction is best."""
    inside = groups >= 0
    _, group = groups[inside].unique(return_inverse=True)  # type: ignore[no-untyped-call]
    if not len(group):
        return 0, 0
    scores, wanted = predicted[inside], targets[inside]
    count = int(group.max()) + 1
    best = wanted.new_full((count,), torch.inf).scatter_reduce(0, group, wanted, "amin")
    worst = wanted.new_full((count,), -torch.inf).scatter_reduce(0, group, wanted, "amax")
    least = scores.new_full((count,), torch.inf).scatter_reduce(0, group, scores, "amin")
    # Of several least predictions the worst counts, so that a network that cannot tell siblings apart gains nothing.
    taken = torch.where(scores <= least[group], wanted, -torch.inf)
    chosen = wanted.new_full((count,), -torch.inf).scatter_reduce(0, group, taken, "amax")
    open_choice = best < worst
    return int(open_choice.sum()), int((open_choice & (chosen <= best)).sum())
