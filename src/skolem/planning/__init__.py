"""How to get there? Fast Downward, exact rewritings of quantified goals, plan validation."""
