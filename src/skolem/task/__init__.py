"""What does the user want? PDDL text to tasks and goals, and what goals mean in a state."""
