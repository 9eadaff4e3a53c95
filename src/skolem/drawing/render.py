"""Pictures as SVG and PNG files, the same bytes for the same picture."""

from io import BytesIO
from typing import TYPE_CHECKING

from skolem.drawing.picture import INK, Box, Disc, Line, Picture, Style, Text

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.patches import Patch

FORMATS = ("svg", "png")
_MARGIN = 10.0
_DPI = 200
# A larger PNG than this on its longer side helps no reader and takes much memory.
_MAX_PIXELS = 6000


def render_picture(picture: Picture, format: str) -> bytes:
    """The picture as the bytes of an `svg` or `png` file."""
    # matplotlib takes half a second to import, and only drawings need it.
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    left, bottom, right, top = picture.bounds
    width, height = right - left + 2 * _MARGIN, top - bottom + 2 * _MARGIN
    with rc_context(
        {
            "svg.hashsalt": "skolem",
            "svg.fonttype": "none",
            "font.family": ["sans-serif"],
            "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica", "sans-serif"],
        }
    ):
        figure = Figure(figsize=(width / 72, height / 72))
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        axes.set_xlim(left - _MARGIN, right + _MARGIN)
        axes.set_ylim(bottom - _MARGIN, top + _MARGIN)
        for order, shape in enumerate(picture.shapes):
            artist = _make_artist(shape)
            artist.set_zorder(order)
            axes.add_artist(artist)
        stream = BytesIO()
        if format == "svg":
            figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": "skolem"})
        else:
            dpi = min(_DPI, _MAX_PIXELS * 72 / max(width, height))
            figure.savefig(stream, format="png", dpi=dpi, metadata={"Software": None})
    return stream.getvalue()


def _make_artist(shape: Box | Disc | Line | Text) -> "Artist":
    from matplotlib import patches, text

    match shape:
        case Box():
            rounding = f"round,pad=0,rounding_size={shape.rounded}" if shape.rounded else "square,pad=0"
            corner = (shape.x, shape.y)
            box = patches.FancyBboxPatch(corner, shape.width, shape.height, boxstyle=rounding)
            return _paint_patch(box, shape.style)
        case Disc():
            return _paint_patch(patches.Circle((shape.x, shape.y), shape.radius), shape.style)
        case Line():
            return _make_line(shape)
        case Text():
            # Placing the baseline by hand keeps labels level whether or not they have descenders.
            return text.Text(
                shape.x,
                shape.y - 0.36 * shape.size,
                shape.text,
                fontsize=shape.size,
                color=shape.colour,
                fontweight="bold" if shape.bold else "normal",
                fontstyle="italic" if shape.italic else "normal",
                horizontalalignment=shape.align,
                verticalalignment="baseline",
                parse_math=False,
            )


def _make_line(line: Line) -> "Artist":
    from matplotlib import patches
    from matplotlib.path import Path

    style = line.style
    arrow = "-|>,head_length=4,head_width=2" if line.arrow else "-"
    artist = patches.FancyArrowPatch(path=Path(list(line.points)), arrowstyle=arrow, mutation_scale=1.0)
    artist.set_color(style.edge or INK)
    artist.set_fill(line.arrow)
    artist.set_linewidth(style.weight)
    artist.set_linestyle((0, (3.0, 2.0)) if style.dashed else "-")
    return artist


def _paint_patch(patch: "Patch", style: Style) -> "Artist":
    patch.set_facecolor(style.fill or "none")
    patch.set_edgecolor(style.edge or "none")
    patch.set_linewidth(style.weight if style.edge else 0.0)
    patch.set_linestyle((0, (3.0, 2.0)) if style.dashed else "-")
    return patch
