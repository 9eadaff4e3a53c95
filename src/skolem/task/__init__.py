"""What does the user want? Tasks and goals, what they mean, the objects that fit, and what can never be reached."""
