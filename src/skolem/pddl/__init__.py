"""How is it written? PDDL text with positions to tasks and back."""
