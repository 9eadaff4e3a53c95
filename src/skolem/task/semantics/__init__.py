"""What does it mean? Truth of conditions, axioms, and what actions do, over sets of numbered objects."""
