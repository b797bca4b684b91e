"""The kinds of hypotheses, one file each: what a task file says of them, how they are made."""
