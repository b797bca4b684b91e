"""The connections between nodes, both ends in one file where both are ours."""
