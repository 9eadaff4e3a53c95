"""What does a goal cost? State spaces, exact costs, labelled datasets."""
