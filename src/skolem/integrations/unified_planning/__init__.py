"""How does unified-planning use it? A compiler, a planner and a meta-engine over any other planner."""

from skolem.integrations.unified_planning.compiler import SkolemCompiler
from skolem.integrations.unified_planning.meta_engine import SkolemMetaEngine
from skolem.integrations.unified_planning.planner import SkolemPlanner

__all__ = ["SkolemCompiler", "SkolemMetaEngine", "SkolemPlanner"]
