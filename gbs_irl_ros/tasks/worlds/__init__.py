"""The kinds of worlds, one file each: what a task file says of one, and how it is built."""
