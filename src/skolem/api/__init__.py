"""What does a program call? The functions and results that `import skolem` offers."""
