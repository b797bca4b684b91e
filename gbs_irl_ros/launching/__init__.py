"""Starting all nodes: one table of processes, with two readers."""
