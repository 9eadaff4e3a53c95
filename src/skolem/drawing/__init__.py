"""What does it look like? Tasks drawn in the manner of planning papers: states, goals and bindings."""

from skolem.drawing.page import draw_task, save_drawing
from skolem.drawing.render import render_picture

__all__ = ["draw_task", "render_picture", "save_drawing"]
