"""What does it look like? Tasks drawn in the manner of planning papers: states, goals and bindings."""

from skolem.drawing.explanation_page import draw_explanation, save_explanation
from skolem.drawing.page import draw_task, save_drawing
from skolem.drawing.plan_page import draw_plan, save_plan
from skolem.drawing.render import render_picture

__all__ = [
    "draw_explanation",
    "draw_plan",
    "draw_task",
    "render_picture",
    "save_drawing",
    "save_explanation",
    "save_plan",
]
