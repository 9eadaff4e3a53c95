"""What everything needs: errors and exit codes, files, progress, parallel jobs, guarded processes."""
