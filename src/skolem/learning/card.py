"""The page about a learned model in its folder: what it is for, what it was learned from, how good it is."""

from pathlib import Path

from skolem.network.model_folder import ModelCard
from skolem.support.files import write_text

LABELS = {
    "exact": "with exact costs",
    "self": "with upper bounds of costs, which walks guided by earlier networks proved, and no exact cost",
}


def write_readme(folder: Path, card: ModelCard) -> None:
    """Writes `README.md` from what the card holds."""
    write_text(folder / "README.md", describe_card(card))


def describe_card(card: ModelCard) -> str:
    """The page of a card."""
    training = card.training
    learned, validation = training["learned"], training["validation"]
    problems = learned["problems"]
    literals = [name for name in card.goals if ":" not in name]
    lines = [
        f"# A model for the domain {card.domain}",
        "",
        f"Binds goals with these literals: {', '.join(literals)}. Its costs are "
        f"{'those of the metric' if card.metric else 'steps'}. Other attributes of objects, and types that no action "
        "mentions, may have any names: the network does not read them.",
        "",
        f"Learned by `skolem learn` from {len(problems)} problems ({', '.join(problems)}) with "
        f"{training['dataset']['pairs']} pairs labelled {LABELS[learned['labels']]}, "
        f"in {training['seconds'] / 60:.1f} minutes of training "
        f"({training['steps']} steps, {learned['device']}, seed {training['seed']}); "
        f"{card.network.layers} layers of width {card.network.width}.",
        "",
        f"Measured: {learned['measurement']['sentence']}. A binding counts with the cost of the cheapest plan for it.",
        "",
        "| | mean squared error | right choices |",
        "|---|---|---|",
    ]
    names = {"validation": "problems kept apart", "larger": "larger tasks"}
    if not learned["kept"]:
        names["validation"] = "other tasks from the same problems"
    for part, result in validation.items():
        lines.append(f"| {names.get(part, part)} | {result['loss']:.3f} | {result['accuracy']:.1%} |")
    return "\n".join(lines) + "\n"
